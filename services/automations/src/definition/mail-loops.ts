import { oneLine } from './config-reader.ts'
import type { Definition } from './definition.ts'
import { previewSteps } from './preview.ts'

const shortSeconds = 3_600

/**
 * A warning for each email to which a contact can come back in less than an hour. `definition` has no errors in its structure. A
 * `wait_until_date` counts as no wait, because a date does not wait a second time.
 */
export function mailLoops(definition: Definition): string[] {
  return definition.nodes
    .filter(({ type }) => type === 'send_email')
    .flatMap(({ key }) => {
      const seconds = returnSeconds(definition, key)
      if (seconds >= shortSeconds) return []
      return [
        `A contact can come back to the email ${JSON.stringify(oneLine(key))} after ${seconds} ${seconds === 1 ? 'second' : 'seconds'} and get it again and again. Let the cycle wait for an hour or more.`,
      ]
    })
}

/** The shortest waits on a path from this node back to it. Infinity if there is none. */
function returnSeconds(definition: Definition, key: string): number {
  const waits = new Map(definition.nodes.map((node) => [node.key, node.type === 'wait_duration' ? node.seconds : 0]))
  const back = new Set(definition.edges.filter(({ to }) => to === key).map(({ from }) => from))
  return previewSteps({ ...definition, startNode: key })
    .filter(({ node_key: from }) => back.has(from))
    .reduce((least, { node_key: from, after_seconds }) => Math.min(least, after_seconds + waits.get(from)!), Infinity)
}
