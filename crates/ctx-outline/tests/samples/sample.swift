import Foundation

/// An order.
@MainActor
public final class Order<Item: Priced>: Shippable where Item: Codable {
    public static let shared = Order(items: [])

    private(set) var items: [Item] = []

    var total: Int {
        items.reduce(0) { sum, item in sum + item.price }
    }

    public init?(items: [Item]) {
        guard !items.isEmpty else { return nil }
        self.items = items
    }

    class func make(_ text: String) -> Self? {
        print("\(text.map { "a \($0) }" }) and \"")
        print(#"raw " } text"#)
        return nil
    }

    #if DEBUG
    func debug() {
        #expect("*/*".isEmpty)
        print(items, items, items)
    }
    #endif

    subscript(index: Int) -> Item {
        get { items[index] }
        set { items[index] = newValue }
    }
}

protocol Shippable {
    associatedtype Item
    var total: Int { get }
    func ship(to address: String) async throws -> Bool
}

enum State: String, CaseIterable {
    case open, closed
    indirect case nested(State)
}
