/** The last row of a pass before which every batch is applied, although batches end in any order. */
export interface PassMarks {
  readonly through: number
  /** Begins a batch that ends with this row; the returned function says that it is applied. */
  begin(lastRow: number): () => void
}

export function passMarks(through: number): PassMarks {
  const open: { lastRow: number; isApplied: boolean }[] = []
  let reached = through
  return {
    get through() {
      return reached
    },
    begin(lastRow) {
      const batch = { lastRow, isApplied: false }
      open.push(batch)
      return () => {
        batch.isApplied = true
        while (open[0]?.isApplied) reached = open.shift()!.lastRow
      }
    },
  }
}
