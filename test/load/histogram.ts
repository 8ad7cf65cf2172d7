/** A histogram of one or more processes: how many values are at most so large, by bound, largest last. */
export interface Histogram {
  bounds: readonly { atMost: number; count: number }[]
}

/** Reads a histogram without labels from the text that Prometheus reads; without it, an empty one. */
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

/** What came to these histograms since those before, all added up. */
export function addedSince(before: readonly Histogram[], after: readonly Histogram[]): Histogram {
  const countOf = (histograms: readonly Histogram[], atMost: number) =>
    histograms.reduce((sum, { bounds }) => sum + (bounds.find((bound) => bound.atMost === atMost)?.count ?? 0), 0)
  const all = [...new Set(after.flatMap(({ bounds }) => bounds.map(({ atMost }) => atMost)))].sort((a, b) => a - b)
  return { bounds: all.map((atMost) => ({ atMost, count: countOf(after, atMost) - countOf(before, atMost) })) }
}

/** The smallest bound that so large a share of the values does not exceed; undefined when there are none. */
export function quantile({ bounds }: Histogram, share: number): number | undefined {
  const total = bounds.at(-1)?.count ?? 0
  return total === 0 ? undefined : bounds.find(({ count }) => count >= total * share)?.atMost
}
