/** A queue with constant-time push and shift at any length; the shift of an array is not. */
export class Fifo<T> {
  #items: (T | undefined)[] = []
  #head = 0

  get length() {
    return this.#items.length - this.#head
  }

  push(item: T) {
    this.#items.push(item)
  }

  /** The item at a position, counted from the oldest. */
  at(index: number): T | undefined {
    return this.#items[this.#head + index]
  }

  shift(): T | undefined {
    if (this.length === 0) return undefined
    const item = this.#items[this.#head]
    this.#items[this.#head] = undefined
    this.#head += 1
    if (this.#head > 1024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head)
      this.#head = 0
    }
    return item
  }

  clear() {
    this.#items = []
    this.#head = 0
  }
}
