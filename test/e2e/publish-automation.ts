import type { Api } from '@lettergate/demo/api'
import { atConsole, workspace } from './erased-people.ts'

interface Automation {
  id: string
  selected_version: { id: string; definition_checksum: string }
}

/** Creates an automation with this name and slug, marks it as ready for review, and publishes it. Answers its id. */
export async function publishAutomation(
  { api, operator }: { api: Api; operator: Api },
  slug: string,
  definition: object,
): Promise<string> {
  const { automation } = await api.ok<{ automation: Automation }>('POST', `${workspace}/automations`, {
    name: slug,
    slug,
    definition,
  })
  const { id, selected_version: version } = automation
  await api.ok('POST', `${workspace}/automations/${id}/ready-for-review`, {
    version_id: version.id,
    definition_checksum: version.definition_checksum,
  })
  await operator.ok('POST', `${atConsole}/automations/${id}/publish`)
  return id
}
