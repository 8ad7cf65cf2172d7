/** A histogram of one or more processes: for each bound, the number of values up to it; the largest bound is last. */
export interface Histogram {
  bounds: readonly { atMost: number; count: number }[]
}

/** Reads a histogram without labels from text in the Prometheus format. A missing histogram is empty. */
export function readHistogram(text: string, name: string): Histogram {
  const bounds = Array.from(
    text.matchAll(new RegExp(`^${name}_bucket\\{le="([^"]+)"[^}]*\\} (\\d+)$`, 'gm')),
    ([, le, count]) => ({
      atMost: le === '+Inf' ? Infinity : Number(le),
      count: Number(count),
    }),
  )
  return { bounds }
}

/** The values that these histograms received between the two readings, summed into one histogram. */
export function addedSince(before: readonly Histogram[], after: readonly Histogram[]): Histogram {
  const countOf = (histograms: readonly Histogram[], atMost: number) =>
    histograms.reduce((sum, { bounds }) => sum + (bounds.find((bound) => bound.atMost === atMost)?.count ?? 0), 0)
  const all = [...new Set(after.flatMap(({ bounds }) => bounds.map(({ atMost }) => atMost)))].sort((a, b) => a - b)
  return { bounds: all.map((atMost) => ({ atMost, count: countOf(after, atMost) - countOf(before, atMost) })) }
}

/** The smallest bound that this share of the values does not exceed; undefined without values. */
export function quantile({ bounds }: Histogram, share: number): number | undefined {
  const total = bounds.at(-1)?.count ?? 0
  return total === 0 ? undefined : bounds.find(({ count }) => count >= total * share)?.atMost
}
