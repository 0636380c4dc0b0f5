package shop.orders

import kotlin.math.max

/** An order. */
data class Order
internal constructor(val number: Int, private val lines: List<Line> = emptyList()) : Shippable {
  val total: Int
    get() = lines.sumOf {
      it.price * it.count
    }

  init {
    require(number > 0) { "not a number: ${"nested } \" quote"}" }
  }

  override fun ship(to: Address, how: (Line) -> Unit) {
    lines.forEach { how(it) }
    println("""raw " } text""")
  }

  fun sum() = lines
    .map { it.price }
    .sum()

  companion object {
    private val cache by lazy {
      mutableMapOf<String, Order>().also { println(it) }
    }

    fun of(text: String): Order? = when (text) {
      "" -> null
      else -> Order(text.length)
    }
  }
}

enum class State(val code: Char) {
  OPEN('{') {
    override fun isFinal() = false
  },
  CLOSED('}');

  abstract fun isFinal(): Boolean
}

fun <T : Any> List<T>.second(): T =
  this[1].also { println("the second one is $it") }
