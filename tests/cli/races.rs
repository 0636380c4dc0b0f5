//! A directory becomes a link while it is read: nothing from outside appears.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::states::run;
use crate::support::Sandbox;

const RENDERS: usize = 300;

/// While the renders run, swaps `inside/d` between a directory and a link that leads out, and `inside/f` between a
/// file and such a link, so that swaps happen at every moment of some render. Every other render runs undisturbed.
fn swap(sandbox: &Sandbox, begun: &AtomicUsize) -> usize {
    let [directory, link, place] =
        ["inside/.d.directory", "inside/.d.link", "inside/d"].map(|path| sandbox.path(path));
    let [file, file_link, file_place] =
        ["inside/.f.file", "inside/.f.link", "inside/f"].map(|path| sandbox.path(path));
    let mut swaps = 0;
    loop {
        let render = begun.load(Ordering::Relaxed);
        if render > RENDERS {
            return swaps;
        }
        if render.is_multiple_of(2) {
            thread::yield_now();
            continue;
        }
        // Moves the directory away, the link in, the link out, and the directory back.
        fs::rename(&place, &directory).unwrap();
        symlink(sandbox.path("outside"), &link).unwrap();
        fs::rename(&link, &place).unwrap();
        fs::write(&file, "inner\n").unwrap();
        symlink(sandbox.path("outside/secret.txt"), &file_link).unwrap();
        fs::rename(&file_link, &file_place).unwrap();
        fs::remove_file(&place).unwrap();
        fs::rename(&directory, &place).unwrap();
        fs::rename(&file, &file_place).unwrap();
        swaps += 1;
    }
}

/// A directory and a file, and what they become links to.
fn tree() -> Sandbox {
    let sandbox = Sandbox::with(&[
        ("inside/d/deep/inner.txt", "inner\n"),
        ("inside/d/inner.txt", "inner\n"),
        ("inside/f", "inner\n"),
        ("outside/inner.txt", "from outside\n"),
        ("outside/deep/inner.txt", "from outside\n"),
        ("outside/secret.txt", "from outside\n"),
    ]);
    for number in 0..40 {
        sandbox.write(&format!("inside/d/{number}.txt"), "inner\n");
        sandbox.write(&format!("outside/{number}.txt"), "from outside\n");
    }
    sandbox
}

#[test]
fn swapping_a_path_for_a_link_includes_nothing_from_outside() {
    let sandbox = tree();
    let begun = AtomicUsize::new(0);
    let (sandbox, begun) = (&sandbox, &begun);
    thread::scope(|scope| {
        let swapper = scope.spawn(|| swap(sandbox, begun));
        let renderer = scope.spawn(|| {
            let patterns = ["inside/**", "inside/*/*.txt", "inside/d/**", "inside/d/*.txt", "inside/*"];
            let mut seen = 0;
            for pattern in patterns.into_iter().cycle().take(RENDERS) {
                begun.fetch_add(1, Ordering::Relaxed);
                let output = run(sandbox, &["render", "--only", "--tree", pattern]);
                let block = String::from_utf8(output.stdout).unwrap();
                let stderr = String::from_utf8_lossy(&output.stderr);
                // While the directory is a link, the pattern matches nothing, or nothing readable, which is an
                // error.
                let is_swapped = stderr.contains("No files found matching glob pattern")
                    || stderr.contains("': none of the files that it matches can be used")
                    || stderr.contains("': cannot be read")
                    || stderr.contains("no such file: '");
                assert_eq!(output.status.code(), Some(i32::from(is_swapped)), "{stderr}");
                // A pattern whose fixed part names the link itself follows it.
                if !pattern.starts_with("inside/d/") {
                    assert!(!block.contains("outside"), "{pattern}: {block}\n{stderr}");
                }
                seen += usize::from(block.contains("inner\n"));
            }
            seen
        });
        let seen = renderer.join();
        begun.store(RENDERS + 1, Ordering::Relaxed);
        let swaps = swapper.join().unwrap();
        let seen = seen.unwrap();
        eprintln!("{swaps} swaps during {RENDERS} renders, {seen} of them with a file");
        assert!(swaps > 0 && seen > 0);
    });
}

#[test]
fn swapping_a_path_for_a_link_adds_nothing_from_outside_to_changes() {
    let sandbox = tree();
    let git = |arguments: &[&str]| {
        let mut git = std::process::Command::new("git");
        git.args(["-c", "user.name=A", "-c", "user.email=a@example.org"]).args(arguments);
        git.current_dir(sandbox.project()).env_clear().envs(sandbox.environment());
        assert!(git.env("GIT_CONFIG_NOSYSTEM", "1").status().unwrap().success(), "git {arguments:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "inside"]);
    git(&["commit", "-qm", "First"]);
    for number in 0..40 {
        sandbox.write(&format!("inside/d/{number}.txt"), "changed inner\n");
    }
    sandbox.write("inside/d/new.txt", "new inner\n");
    sandbox.write("outside/new.txt", "from outside\n");
    sandbox.write(".gitignore", "outside\n");
    let begun = AtomicUsize::new(0);
    let (sandbox, begun) = (&sandbox, &begun);
    thread::scope(|scope| {
        let swapper = scope.spawn(|| swap(sandbox, begun));
        let renderer = scope.spawn(|| {
            let mut seen = 0;
            for entry in ["git:diff", "git:changes"].into_iter().cycle().take(RENDERS / 3) {
                begun.fetch_add(1, Ordering::Relaxed);
                let output = run(sandbox, &["render", "--only", entry]);
                let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
                assert!(!said.contains("from outside"), "{entry}: {said}");
                seen += usize::from(said.contains("+changed inner\n"));
            }
            seen
        });
        let seen = renderer.join();
        begun.store(RENDERS + 1, Ordering::Relaxed);
        let swaps = swapper.join().unwrap();
        let seen = seen.unwrap();
        eprintln!("{swaps} swaps during {} renders, {seen} of them with a change", RENDERS / 3);
        assert!(swaps > 0 && seen > 0);
    });
}
