import type { AutomationDefinition } from '@lettergate/client'
import { conditionInWords } from './node-words.ts'

/** The line from one node to another. Several branches that lead to the same node are one line. */
export interface Way {
  from: string
  to: string
  /** when contacts go there; empty if there is no other way */
  label: string
  isDefault: boolean
}

/** The lines between the nodes of a definition, in the order of its edges, for each node that of its default branch first. */
export function waysOf({ nodes, edges }: AutomationDefinition): Way[] {
  const keys = new Set(nodes.map(({ key }) => key))
  const drawn = edges.filter(({ from, to }) => keys.has(from) && keys.has(to))
  return [...Map.groupBy(drawn, ({ from }) => from)].flatMap(([from, out]) =>
    [...Map.groupBy(out, ({ to }) => to)]
      .map(([to, branches]) => ({
        from,
        to,
        label: out.length === 1 ? conditionInWords(out[0]!.condition) : branches.map(labelOf).join('; '),
        isDefault: branches.some(isDefault),
      }))
      .sort((one, other) => Number(other.isDefault) - Number(one.isDefault)),
  )
}

type Branch = AutomationDefinition['edges'][number]

/** Whether contacts go this way when no other branch fits. */
export const isDefault = ({ branch, condition }: Branch) => branch === 'default' && condition === undefined

const labelOf = (branch: Branch) =>
  branch.condition ? conditionInWords(branch.condition) : isDefault(branch) ? 'otherwise' : branch.branch
