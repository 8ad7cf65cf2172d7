import { LRUCache } from 'lru-cache'
import { kyselyOf } from '@lettergate/database'
import { AutomationVersion } from '../automations/automation-version.entity.ts'
import { graphOf, type Graph, type VersionGraphs } from '../definition/graph.ts'
import { readDefinition } from '../definition/read-definition.ts'

/** Versions never change, so their graphs are kept. */
const graphsMax = 200

/** Reads and prepares definitions, and keeps the last ones. */
export function versionGraphs(): VersionGraphs {
  const kept = new LRUCache<string, Graph>({ max: graphsMax })
  return async (em, workspaceId, versionIds) => {
    const found = new Map<string, Graph>()
    const missing: string[] = []
    for (const id of new Set(versionIds)) {
      const graph = kept.get(`${workspaceId} ${id}`)
      if (graph) found.set(id, graph)
      else missing.push(id)
    }
    if (missing.length === 0) return found
    const versions = await kyselyOf(em, AutomationVersion)
      .selectFrom('automation_versions')
      .select(['id', 'definition', 'validation'])
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', (eb) => eb.fn.any(eb.val(missing)))
      .execute()
    if (versions.length < missing.length) throw new Error('a version of an automation does not exist')
    for (const { id, definition, validation } of versions) {
      const { definition: read, problems } = readDefinition(definition)
      if (!read) throw new Error(`the stored definition of version ${id} cannot be read: ${problems[0]}`)
      const graph = graphOf(read, (validation['dependencies'] ?? []) as unknown as Record<string, string>[])
      kept.set(`${workspaceId} ${id}`, graph)
      found.set(id, graph)
    }
    return found
  }
}
