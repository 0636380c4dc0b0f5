#include <vector>

namespace shapes {

template <typename T, class Allocator = std::allocator<T>>
class Buffer final : public Base<T> {
public:
    Buffer(size_t size, int mode)
        : size_{size}, data_(allocate(size)), mode_{mode} {
        fill(data_, data_ + size_, T{});
        check(mode_);
    }

    bool operator==(const Buffer& other) const noexcept {
        const auto raw = R"x(a " brace } )x";
        return size_ == other.size_ && raw;
    }

    auto begin() const -> const T* {
        auto number = 1'000'000;
        return data_ + number - number;
    }

    virtual void draw() = 0;

private:
    size_t size_{0};
    T* data_ = nullptr;
};

enum class Color : unsigned char { red, green };

}  // namespace shapes

extern "C" {
int exported(int value);
}

int main(int argc, char** argv) {
    auto lambda = [](int x) { return x; };
    return lambda(argc);
}
