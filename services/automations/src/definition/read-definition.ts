import { configReader } from './config-reader.ts'
import type { AutomationNode, Definition, AutomationEdge, JsonObject, JsonValue } from './definition.ts'
import { readCondition } from './read-condition.ts'
import { readNode } from './read-node.ts'
import { readTrigger } from './read-trigger.ts'

const keyCharsMax = 160
const nodesMax = 100
const edgesMax = 200

/** Reads a definition, and lists a sentence for each value that does not fit. Only without problems there is a definition. */
export function readDefinition(given: JsonObject): { definition?: Definition; problems: string[] } {
  const problems: string[] = []
  const root = configReader(given, 'definition', problems)
  const trigger = readTrigger(root.take('trigger'), 'definition.trigger', problems)
  const startNode = root.text('start_node', keyCharsMax)
  const nodes = listOf(root.take('nodes'), 'definition.nodes', { min: 1, max: nodesMax, problems }).map(
    (node, index): AutomationNode => readNode(node, `definition.nodes[${index}]`, problems),
  )
  const edges = listOf(root.take('edges'), 'definition.edges', { min: 0, max: edgesMax, problems }).map((edge, index) =>
    readEdge(edge, `definition.edges[${index}]`, problems),
  )
  root.refuseOthers()
  return problems.length > 0 ? { problems } : { definition: { trigger, startNode, nodes, edges }, problems }
}

function listOf(
  given: JsonValue | undefined,
  path: string,
  { min, max, problems }: { min: number; max: number; problems: string[] },
): JsonValue[] {
  if (Array.isArray(given) && given.length >= min && given.length <= max) return given
  problems.push(`${path} must be a list of ${min} to ${max} items.`)
  return []
}

function readEdge(given: JsonValue, path: string, problems: string[]): AutomationEdge {
  const edge = configReader(given, path, problems)
  const [from, to, branch] = [
    edge.text('from', keyCharsMax),
    edge.text('to', keyCharsMax),
    edge.text('branch', keyCharsMax),
  ]
  const condition = edge.take('condition')
  const read =
    condition === undefined || condition === null ? undefined : readCondition(condition, `${path}.condition`, problems)
  edge.refuseOthers()
  return { from, to, branch, condition: read }
}
