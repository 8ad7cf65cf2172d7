import type { Person } from './add-people.ts'
import { openApi } from './api.ts'
import { reasonsOf, type Scene } from './scene.ts'
import type { Row } from './table.ts'

/**
 * A no is taken back, on the record: of a person who left, by anybody who may resolve suppressions; of the platform, by its
 * people alone. Both may be mailed afterwards, the first because they consented anew.
 */
export async function takeBack(
  scene: Scene,
  audienceId: string,
  { whoLeft, whoComplained }: { whoLeft: Person; whoComplained: Person },
): Promise<Row[]> {
  const { api, browser, workspace, atConsole, stack, tell } = scene
  const standing = async (person: Person) => {
    const { suppressions } = await browser.ok<{ suppressions: { id: string; resolved_at: string | null }[] }>(
      'GET',
      `${atConsole}/suppressions?search=${encodeURIComponent(person.normalizedEmail)}`,
    )
    return suppressions.find((suppression) => suppression.resolved_at === null)!.id
  }
  const reason = { resolution_reason: 'wrote to us and wants the letter again' }

  await api.ok('POST', `${workspace}/suppressions/${await standing(whoLeft)}/resolve`, reason)
  const resolved = await reasonsOf(scene, whoLeft.id, audienceId)
  tell(`resolving alone subscribes nobody: ${resolved.join(', ')}`)
  await api.ok('POST', `${workspace}/audiences/${audienceId}/subscribe`, {
    contact_id: whoLeft.id,
    source: 'letter to the editors',
    wording_version: '2026-01',
  })
  const subscribed = await reasonsOf(scene, whoLeft.id, audienceId)
  if (subscribed.length === 0) whoLeft.left = false

  const ofPlatform = `${workspace}/suppressions/${await standing(whoComplained)}/resolve`
  const workspaceOwner = openApi(stack.base_url, { authorization: 'Bearer wallet-session-dev-wsowner' })
  const refused = await workspaceOwner.call('POST', ofPlatform, reason)
  await workspaceOwner.close()
  tell(`the workspace's owner and a platform suppression: “${refused.text}”`)
  const done = await api.call('POST', ofPlatform, reason)
  if (done.status === 200) delete whoComplained.excludedBy
  return [
    { name: 'reasons left after resolving', actual: resolved.length, expected: 2 },
    { name: 'reasons left after subscribing again', actual: subscribed.length, expected: 0 },
    { name: 'platform: the owner of the workspace', actual: refused.status, expected: 403 },
    { name: 'platform: its own owner', actual: done.status, expected: 200 },
  ]
}
