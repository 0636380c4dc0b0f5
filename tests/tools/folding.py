"""A file system that takes letter case and Unicode's forms of a name for the same, and keeps names as written, as APFS does.

    folding.py BACKING MOUNT        # in the foreground, until it is unmounted
"""
import errno
import os
import sys
import unicodedata

from fuse import FUSE, FuseOSError, Operations


def fold(name):
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", name).casefold())


class Folding(Operations):
    use_ns = True

    def __init__(self, backing):
        self.backing = backing

    def at(self, path):
        """Where a path is kept: each name as it was first written."""
        place = self.backing
        for name in filter(None, path.split("/")):
            if not os.path.lexists(os.path.join(place, name)):
                try:
                    kept = next((other for other in os.listdir(place) if fold(other) == fold(name)), name)
                except OSError:
                    kept = name
                name = kept
            place = os.path.join(place, name)
        return place

    def access(self, path, mode):
        if not os.access(self.at(path), mode):
            raise FuseOSError(errno.EACCES)

    def chmod(self, path, mode):
        os.chmod(self.at(path), mode)

    def chown(self, path, uid, gid):
        os.lchown(self.at(path), uid, gid)

    def getattr(self, path, fh=None):
        status = os.fstat(fh) if fh is not None else os.lstat(self.at(path))
        names = ["mode", "ino", "nlink", "uid", "gid", "size", "atime", "mtime", "ctime"]
        found = {f"st_{name}": getattr(status, f"st_{name}") for name in names}
        for name in ["atime", "mtime", "ctime"]:
            found[f"st_{name}"] = getattr(status, f"st_{name}_ns")
        return found

    def readdir(self, path, fh):
        return [".", ".."] + os.listdir(self.at(path))

    def readlink(self, path):
        return os.readlink(self.at(path))

    def mknod(self, path, mode, dev):
        os.mknod(self.at(path), mode, dev)

    def rmdir(self, path):
        os.rmdir(self.at(path))

    def mkdir(self, path, mode):
        os.mkdir(self.at(path), mode)

    def statfs(self, path):
        found = os.statvfs(self.at(path))
        names = "bavail bfree blocks bsize favail ffree files flag frsize namemax".split()
        return {f"f_{name}": getattr(found, f"f_{name}") for name in names}

    def unlink(self, path):
        os.unlink(self.at(path))

    def symlink(self, name, target):
        os.symlink(target, self.at(name))

    def rename(self, old, new):
        source, place = self.at(old), self.at(new)
        if source == place or os.path.lexists(place):
            os.rename(source, place)
        # The new name is kept as it is written now.
        os.rename(place if os.path.lexists(place) else source, os.path.join(os.path.dirname(place), os.path.basename(new)))

    def link(self, target, name):
        os.link(self.at(name), self.at(target), follow_symlinks=False)

    def utimens(self, path, times=None):
        os.utime(self.at(path), ns=times, follow_symlinks=False)

    def open(self, path, flags):
        return os.open(self.at(path), flags & ~os.O_NOFOLLOW)

    def create(self, path, mode, fi=None):
        return os.open(self.at(path), os.O_RDWR | os.O_CREAT, mode)

    def read(self, path, length, offset, fh):
        return os.pread(fh, length, offset)

    def write(self, path, data, offset, fh):
        return os.pwrite(fh, data, offset)

    def truncate(self, path, length, fh=None):
        os.truncate(fh if fh is not None else self.at(path), length)

    def flush(self, path, fh):
        os.fsync(fh)

    def release(self, path, fh):
        os.close(fh)

    def fsync(self, path, datasync, fh):
        os.fsync(fh)


if __name__ == "__main__":
    FUSE(Folding(sys.argv[1]), sys.argv[2], foreground=True, use_ino=True, default_permissions=True,
         attr_timeout=0, entry_timeout=0, negative_timeout=0, allow_other=True)
