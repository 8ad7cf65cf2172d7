/** A value at a place of a line, such as a day. */
export interface LineValue {
  at: number
  value: number
}

/** The points of the line in a box of this width and height; the lowest value is at the bottom, the highest at the top. */
export function linePointsOf(
  values: readonly LineValue[],
  { width, height }: { width: number; height: number },
): { x: number; y: number }[] {
  const numbers = values.map(({ value }) => value)
  const [lowest, highest] = [Math.min(...numbers), Math.max(...numbers)]
  const first = values[0]?.at ?? 0
  const whole = Math.max(1, (values.at(-1)?.at ?? 0) - first)
  return values.map(({ at, value }) => ({
    x: ((at - first) / whole) * width,
    y: highest === lowest ? height / 2 : height - ((value - lowest) / (highest - lowest)) * height,
  }))
}
