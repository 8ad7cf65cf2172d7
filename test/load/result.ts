/** One printed line: the figure of Lettergate (`ours`) and of its floor, both from this run. */
export interface Result {
  name: string
  unit: string
  ours: number
  floor: number
  /** the median of the rounds; without rounds it is undefined, and ours / floor is printed */
  ratio?: number
  floorIs: string
  note?: string
}

/** The results as a table. Compare the ratios: the figures depend on the machine. */
export function show(results: readonly Result[]): string {
  const header = ['', 'Lettergate', 'floor', 'ratio', 'what the floor does']
  const lines = results.map((result) => [
    result.name,
    `${Math.round(result.ours)} ${result.unit}`,
    `${Math.round(result.floor)} ${result.unit}`,
    (result.ratio ?? result.ours / result.floor).toFixed(2),
    result.floorIs + (result.note ? `; ${result.note}` : ''),
  ])
  const widths = header.map((title, column) => Math.max(title.length, ...lines.map((line) => line[column]!.length)))
  return [header, ...lines]
    .map((line) =>
      line
        .map((cell, column) =>
          column === 0 || column === 4 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!),
        )
        .join('  '),
    )
    .join('\n')
}
