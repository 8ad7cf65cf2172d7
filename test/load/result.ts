/** One line of the benchmark: ours beside what the parts can do alone, both of this run. */
export interface Result {
  name: string
  unit: string
  ours: number
  floor: number
  /** where rounds were taken in turns: their median; else ours over floor */
  ratio?: number
  floorIs: string
  note?: string
}

/** Figures move with the machine; the ratio is what to compare. */
export function show(results: readonly Result[]): string {
  const header = ['', 'ours', 'floor', 'ratio', 'the floor is']
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
