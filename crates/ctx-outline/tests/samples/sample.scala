package shop.orders

import scala.util.Try

/** An order. */
final case class Order[F[_]: Monad](number: Int, items: List[Item] = Nil) extends Shippable { self =>

  val open = true

  def total: Int =
    items
      .map(_.price)
      .sum

  def ship(to: Address)(implicit how: How): Either[String, Unit] = {
    val message = s"to ${to.map(c => s"{$c").mkString("}")}"
    Left(message)
  }

  def state: State = open match {
    case true  => State.Open
    case false => State.Closed
  }

  def abstractly(x: Int): String
}

object Order {
  private val quoted = '}'
  implicit val show: Show[Order] = new Show[Order] {
    def show(order: Order): String = {
      val number = order.number
      "number " + number + """ raw " } """
    }
  }
  type Id = Int
}

enum State:
  case Open, Closed

  def isFinal: Boolean =
    val closed = this == Closed
    closed || false

  def other = Open
end State

test("a test") {
  assert(Order(1, Nil).total == 0)
}
