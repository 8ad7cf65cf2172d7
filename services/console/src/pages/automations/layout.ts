import type { AutomationDefinition } from '@lettergate/client'
import { waysOf, type Way } from './ways.ts'

interface Point {
  x: number
  y: number
}

/** A rectangle by its upper left corner. */
export interface Box extends Point {
  width: number
  height: number
}

export interface GraphLayout {
  steps: (Box & { key: string })[]
  labels: (Box & { way: Way })[]
  lines: Line[]
  height: number
}

/** Where a line goes between its nodes. */
export interface Line {
  way: Way
  points: Point[]
  /** where a line goes up again, beside everything else; absent if it goes down */
  upAt?: number
}

/** The room of a step. Its texts are cut to it. */
export const step = { width: 200, height: 104 }

/** The room for a label, whose text is cut to two lines. */
const label = { widthMax: 176, padding: 12, character: 7.5, line: 18 }
const lineWidth = 16
const gap = { beside: 24, below: 40, aboveLabels: 16, betweenLabels: 8, belowLabels: 32 }

/**
 * A place for each step: below every step that leads to it, unless they are in a cycle. The way of the default branches goes
 * straight down, and the other branches stand to the right of it. No step and no label lies on another one.
 */
export function layoutOf(definition: AutomationDefinition): GraphLayout {
  const ways = waysOf(definition)
  const rows = rowsOf(definition, ways)
  const rowOf = (key: string) => rows.get(key)!
  const count = Math.max(-1, ...rows.values()) + 1
  const out = Map.groupBy(ways, ({ from }) => from)
  const isDown = ({ from, to }: Way) => rowOf(from) < rowOf(to)

  // The middles of the steps, and those of each line in the rows that it passes and the one in which it ends.
  const middles = new Map<string, number>()
  const passes = new Map<Way, number[]>(ways.map((way) => [way, []]))
  const wanted = new Map<Way, number>()
  for (let row = 0; row < count; row += 1) {
    const steps = definition.nodes
      .filter(({ key }) => rowOf(key) === row)
      .map(({ key }) => {
        const into = ways.filter((way) => way.to === key && isDown(way))
        return { key, into, x: Math.min(...into.map((way) => wanted.get(way)!)), width: step.width }
      })
    const passing = ways
      .filter((way) => rowOf(way.from) < row && row < rowOf(way.to))
      .map((way) => ({ key: null, into: [way], x: wanted.get(way)!, width: lineWidth }))
    let left = -Infinity
    for (const { key, into, x, width } of [...passing, ...steps].sort((one, other) => orderOf(one.x, other.x))) {
      const middle = Math.max(x === Infinity ? 0 : x, left + width / 2)
      left = middle + width / 2 + gap.beside
      for (const way of into) {
        passes.get(way)!.push(middle)
        wanted.set(way, middle)
      }
      if (key === null) continue
      middles.set(key, middle)
      // Later branches are wanted a little to the right, which gives them their order.
      out.get(key)?.forEach((way, index) => wanted.set(way, middle + index / 100))
    }
  }

  const labels: GraphLayout['labels'] = []
  const tops: number[] = []
  let height = 0
  for (let row = 0; row < count; row += 1) {
    tops.push(height)
    const ofRow = ways
      .filter((way) => rowOf(way.from) === row && way.label !== '')
      .map((way) => ({ way, ...sizeOf(way.label), middle: passes.get(way)![0] ?? middles.get(way.from)! }))
    const levels = levelsOf(ofRow.map(({ middle, width, ...one }) => ({ ...one, width, x: middle - width / 2 })))
    height += step.height + (levels.length > 0 ? gap.aboveLabels : gap.below)
    for (const level of levels) {
      labels.push(...level.map((one) => ({ ...one, y: height })))
      height += Math.max(...level.map((one) => one.height)) + gap.betweenLabels
    }
    if (levels.length > 0) height += gap.belowLabels - gap.betweenLabels
  }

  const right = Math.max(
    ...[...middles.values()].map((x) => x + step.width / 2),
    ...labels.map((one) => one.x + one.width),
  )
  const up = ways.filter((way) => !isDown(way))
  return {
    height,
    labels,
    steps: definition.nodes.map(({ key }) => ({
      key,
      x: middles.get(key)! - step.width / 2,
      y: tops[rowOf(key)]!,
      ...step,
    })),
    lines: ways.map((way) => {
      const named = labels
        .filter((one) => one.way === way)
        .map((one) => ({ x: one.x + one.width / 2, y: one.y + one.height / 2 }))
      // The last pass is the node to which the line leads.
      const passed = passes
        .get(way)!
        .slice(0, -1)
        .flatMap((x, index) => {
          const top = tops[rowOf(way.from) + 1 + index]!
          return [
            { x, y: top },
            { x, y: top + step.height },
          ]
        })
      return isDown(way)
        ? { way, points: [...named, ...passed] }
        : { way, points: named, upAt: right + gap.beside + up.indexOf(way) * lineWidth }
    }),
  }
}

/** The row of each node. Nodes that nobody reaches are in the last rows. */
function rowsOf({ start_node: start, nodes }: AutomationDefinition, ways: readonly Way[]): Map<string, number> {
  const keys = nodes.map(({ key }) => key)
  const out = Map.groupBy(ways, ({ from }) => from)
  const rows = new Map<string, number>()
  const state = new Map<string, 'open' | 'done'>()
  const upward = new Set<Way>()
  place(keys.filter((key) => key === start))
  place(keys)
  return rows

  function place(roots: readonly string[]): void {
    const first = Math.max(-1, ...rows.values()) + 1
    const settled = new Set<string>()
    const visit = (key: string): void => {
      state.set(key, 'open')
      for (const way of out.get(key) ?? [])
        if (state.get(way.to) === 'open') upward.add(way)
        else if (!state.has(way.to)) visit(way.to)
      state.set(key, 'done')
      settled.add(key)
    }
    for (const key of roots) if (!state.has(key)) visit(key)
    // A node is settled after all nodes to which it leads.
    for (const key of [...settled].reverse()) {
      const row = rows.get(key) ?? first
      rows.set(key, row)
      for (const way of out.get(key) ?? [])
        if (settled.has(way.to) && !upward.has(way)) rows.set(way.to, Math.max(rows.get(way.to) ?? first, row + 1))
    }
  }
}

const orderOf = (one: number, other: number): number => (one === other ? 0 : one - other)

function sizeOf(text: string): { width: number; height: number } {
  const width = Math.ceil(text.length * label.character) + label.padding
  return { width: Math.min(width, label.widthMax), height: label.line * (width > label.widthMax ? 2 : 1) + 4 }
}

/** Spreads what is side by side over as many levels as it takes that nothing lies on another one. */
function levelsOf<Of extends { x: number; width: number }>(boxes: readonly Of[]): Of[][] {
  const levels: Of[][] = []
  for (const box of boxes.toSorted((one, other) => one.x - other.x)) {
    const level = levels.find((beside) => {
      const { x, width } = beside.at(-1)!
      return x + width + gap.betweenLabels <= box.x
    })
    if (level) level.push(box)
    else levels.push([box])
  }
  return levels
}
