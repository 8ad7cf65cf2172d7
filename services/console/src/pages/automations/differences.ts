import type { AutomationDefinition, AutomationEdge } from '@lettergate/client'
import { conditionInWords, nodeInWords, triggerInWords, type Names } from './node-words.ts'

export interface Difference {
  kind: 'added' | 'removed' | 'changed'
  /** the step or path that differs */
  of: string
  before: string
  after: string
}

/** The same text for the same content, in whatever order it is written. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) =>
    one !== null && typeof one === 'object' && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  )

/** Compares two lists by a key. What differs without different words is told as its content. */
function compare<T>(
  before: readonly T[],
  after: readonly T[],
  { keyOf, wordsOf }: { keyOf: (one: T) => string; wordsOf: (one: T) => string },
): Difference[] {
  const old = new Map(before.map((one) => [keyOf(one), one]))
  const added = after.flatMap((one): Difference[] => {
    const was = old.get(keyOf(one))
    old.delete(keyOf(one))
    if (was === undefined) return [{ kind: 'added', of: keyOf(one), before: '', after: wordsOf(one) }]
    if (textOf(was) === textOf(one)) return []
    const [from, to] = [wordsOf(was), wordsOf(one)]
    return [
      {
        kind: 'changed',
        of: keyOf(one),
        ...(from === to ? { before: textOf(was), after: textOf(one) } : { before: from, after: to }),
      },
    ]
  })
  const removed = [...old.values()].map((one): Difference => ({
    kind: 'removed',
    of: keyOf(one),
    before: wordsOf(one),
    after: '',
  }))
  return [...removed, ...added]
}

const pathOf = ({ from, branch }: AutomationEdge) =>
  branch === 'default' ? `after ${from}` : `after ${from}, ${branch}`
const edgeInWords = ({ to, condition }: AutomationEdge) =>
  condition ? `to ${to} if ${conditionInWords(condition)}` : `to ${to}`

/** What a version of a graph adds, removes and changes: its trigger, its steps, and where they lead. */
export const differencesOf = (
  before: AutomationDefinition,
  after: AutomationDefinition,
  names: Names,
): Difference[] => [
  ...compare([before.trigger], [after.trigger], {
    keyOf: () => 'the beginning',
    wordsOf: (trigger) => triggerInWords(trigger, names),
  }),
  ...compare([before.start_node], [after.start_node], { keyOf: () => 'the first step', wordsOf: (key) => key }),
  ...compare(before.nodes, after.nodes, { keyOf: ({ key }) => key, wordsOf: (node) => nodeInWords(node, names) }),
  ...compare(before.edges, after.edges, { keyOf: pathOf, wordsOf: edgeInWords }),
]
