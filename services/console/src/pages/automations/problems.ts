import type { AutomationDefinition, AutomationEdge, AutomationNode, AutomationVersion } from '@lettergate/client'
import { fieldInWords, type FieldLabels } from '../../parts/field-in-words.ts'

/** What is wrong with a definition. A warning keeps nobody from publishing it. */
export interface GraphProblem {
  text: string
  isWarning: boolean
}

/** Problems, and those of each node. */
export interface FoundProblems {
  problems: GraphProblem[]
  byNode: ReadonlyMap<string, GraphProblem[]>
}

/** What is known to be wrong with a stored version. */
export const problemsOf = ({
  structural_errors: errors,
  warnings,
}: Pick<AutomationVersion['validation'], 'structural_errors' | 'warnings'>): GraphProblem[] => [
  ...errors.map((text) => ({ text, isWarning: false })),
  ...warnings.map((text) => ({ text, isWarning: true })),
]

/**
 * What was found to be wrong with a definition and may be wrong with what was edited since. A problem of the graph is left out when
 * a node that it names, or an edge of that node, was changed, added or removed; a problem of a configuration or a value when no
 * place is left where it was. What is left is in words.
 */
export function problemsLeft(
  { definition, problems }: { definition: AutomationDefinition; problems: readonly GraphProblem[] },
  edited: AutomationDefinition,
): FoundProblems {
  const changed = changedKeys(definition, edited)
  const kept = new Set<Part>([edited.trigger, ...edited.nodes, ...edited.edges])
  const left = problems.flatMap((problem) => {
    const places = placesOf(problem.text, definition)
    const unchanged = places.filter(({ key, part }) => (part ? kept.has(part) : !changed.has(key)))
    const isLeft = places.every(({ part }) => part) ? unchanged.length > 0 : unchanged.length === places.length
    return isLeft || places.length === 0 ? [{ problem, places: unchanged }] : []
  })
  const inWords = left.map(({ problem, places }) => ({ problem: sayIn(definition)(problem), places }))
  return { problems: inWords.map(({ problem }) => problem), byNode: byKey(inWords) }
}

/** The problems of a definition by the node that they name, or whose configuration or conditions have a value that they name. */
export const problemsByNode = (
  definition: AutomationDefinition,
  problems: readonly GraphProblem[],
): FoundProblems['byNode'] =>
  byKey(
    problems.map((problem) => ({ problem: sayIn(definition)(problem), places: placesOf(problem.text, definition) })),
  )

const sayIn = (definition: AutomationDefinition) => (problem: GraphProblem) => ({
  ...problem,
  text: problemInWords(problem.text, definition),
})

/** What the forms call the entries of a configuration. */
const labels: FieldLabels = {
  seconds: 'How long, in seconds,',
  at: 'Until',
  field: 'Field',
  tag: 'Tag',
  audience_id: 'Audience',
  content_version_id: 'Version of the content',
  sender_identity_id: 'Sender',
  wording_version: 'Wording of the consent',
  source: 'Source of the consent',
  amount: 'By how much',
}

const inDefinition = /^definition\.(trigger|(?:nodes|edges)\[(\d+)\])\.(.*)$/
const joints = /^condition(?:\.(?:all|any)\[\d+\]|\.not)*\.(?=\w)/

/** `definition.nodes[0].config.seconds must be …` → “The step "wait": How long, in seconds, must be …” */
export function problemInWords(problem: string, { nodes, edges }: AutomationDefinition): string {
  const [, part = '', index, rest = ''] = inDefinition.exec(problem) ?? []
  const at = Number(index)
  const [node, edge] = part.startsWith('nodes') ? [nodes[at], undefined] : [undefined, edges[at]]
  const place =
    part === 'trigger'
      ? 'The trigger'
      : node
        ? `The step ${JSON.stringify(node.key)}`
        : edge && `The branch ${JSON.stringify(edge.branch)} of the step ${JSON.stringify(edge.from)}`
  if (place === undefined) return fieldInWords(problem, labels)
  const said = fieldInWords(rest.replace(joints, ''), labels)
  return `${place}: ${said.replace(/ must be a UUID\.$/, ' must be chosen.')}`
}

/** Whether there is nothing worse than warnings. */
export const areWarnings = (problems: readonly GraphProblem[]): boolean => problems.every(({ isWarning }) => isWarning)

export const colorOf = (isWarning: boolean): 'orange' | 'red' => (isWarning ? 'orange' : 'red')

type Part = AutomationDefinition['trigger'] | AutomationNode | AutomationEdge

/** Where a problem is: in a part of the definition, or else in how the node is connected. The trigger is no node and has no key. */
interface Place {
  key: string
  part?: Part | undefined
}

function byKey(found: readonly { problem: GraphProblem; places: readonly Place[] }[]): Map<string, GraphProblem[]> {
  const problems = new Map<string, GraphProblem[]>()
  for (const { problem, places } of found)
    for (const key of new Set(places.map((place) => place.key)))
      if (key !== '') problems.set(key, [...(problems.get(key) ?? []), problem])
  return problems
}

/** The nodes that were changed, added or removed, and those of which an edge was. An edit keeps each object that it does not change. */
function changedKeys(before: AutomationDefinition, after: AutomationDefinition): ReadonlySet<string> {
  const differing = <Of>(one: readonly Of[], other: readonly Of[]): Of[] => [
    ...one.filter((part) => !other.includes(part)),
    ...other.filter((part) => !one.includes(part)),
  ]
  return new Set([
    ...differing(before.nodes, after.nodes).map(({ key }) => key),
    ...differing(before.edges, after.edges).flatMap(({ from, to }) => [from, to]),
  ])
}

/** A quoted text, and the word before it, which says what it is. */
const quotation = /(?:\b(\w+) )?("(?:[^"\\]|\\.)*")/g
const kindsOfValues = new Set(['audience', 'tag', 'field', 'version', 'identity'])
const kindsOfBranches = new Set(['branch', 'branches'])
const unquotedValue = /\b(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|custom\.\w+)\b/g

/** The places of a path such as `definition.nodes[2].config`, or else of quoted keys, or else those that have a named value. */
function placesOf(problem: string, { trigger, nodes, edges }: AutomationDefinition): Place[] {
  const ofTrigger = { key: '', part: trigger }
  if (/definition\.trigger\b|^This trigger /.test(problem)) return [ofTrigger]
  const [, list, index] = /definition\.(nodes|edges)\[(\d+)\]/.exec(problem) ?? []
  const node = list === 'nodes' ? nodes[Number(index)] : undefined
  if (node) return [{ key: node.key, part: node }]
  const edge = list === 'edges' ? edges[Number(index)] : undefined
  if (edge) return [{ key: edge.from, part: edge }]

  const quoted = Array.from(problem.matchAll(quotation), ([, kind = '', text]) => ({ kind, text: unquoted(text!) }))
  const named = new Set(
    quoted.filter(({ kind }) => !kindsOfValues.has(kind) && !kindsOfBranches.has(kind)).map(({ text }) => text),
  )
  const connected = nodes.filter(({ key }) => named.has(key)).map(({ key }) => ({ key }))
  if (connected.length > 0) return connected

  const values = new Set([
    ...quoted
      .filter(({ kind }) => kindsOfValues.has(kind))
      .map(({ kind, text }) => (kind === 'field' ? `custom.${text}` : text)),
    ...(problem.match(unquotedValue) ?? []),
  ])
  return [
    ...nodes.filter(({ config }) => has(config, values)).map((part) => ({ key: part.key, part })),
    ...edges.filter(({ condition }) => has(condition, values)).map((part) => ({ key: part.from, part })),
    ...(has(trigger.config, values) ? [ofTrigger] : []),
  ]
}

/** Whether one of the values is somewhere in it. */
const has = (part: unknown, values: ReadonlySet<string>): boolean =>
  typeof part === 'string'
    ? values.has(part)
    : typeof part === 'object' && part !== null && Object.values(part).some((one) => has(one, values))

/** The text in quotes of JSON, or as it is if it is not JSON. */
function unquoted(text: string): string {
  try {
    return JSON.parse(text) as string
  } catch {
    return text.slice(1, -1)
  }
}
