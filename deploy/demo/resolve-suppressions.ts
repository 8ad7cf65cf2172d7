import type { Person } from './add-people.ts'
import { openApi } from './api.ts'
import { reasonsOf, type Scene } from './scene.ts'
import type { ReportRow } from './table.ts'

/**
 * Resolves two suppressions with a recorded reason: that of a person who unsubscribed, by a user with the capability, and one of
 * the platform, only by a user of the platform. Both people may receive campaigns afterwards, the first after a new consent.
 */
export async function resolveSuppressions(
  scene: Scene,
  audienceId: string,
  { formerMember, complainant }: { formerMember: Person; complainant: Person },
): Promise<ReportRow[]> {
  const { api, browser, workspace, atConsole, stack, print } = scene
  const activeSuppression = async (person: Person) => {
    const { suppressions } = await browser.ok<{ suppressions: { id: string; resolved_at: string | null }[] }>(
      'GET',
      `${atConsole}/suppressions?search=${encodeURIComponent(person.normalizedEmail)}`,
    )
    return suppressions.find((suppression) => suppression.resolved_at === null)!.id
  }
  const reason = { resolution_reason: 'wrote to us and wants the newsletter again' }

  await api.ok('POST', `${workspace}/suppressions/${await activeSuppression(formerMember)}/resolve`, reason)
  const resolved = await reasonsOf(scene, formerMember.id, audienceId)
  print(`resolving a suppression does not subscribe the contact: ${resolved.join(', ')}`)
  await api.ok('POST', `${workspace}/audiences/${audienceId}/subscribe`, {
    contact_id: formerMember.id,
    source: 'written request',
    wording_version: '2026-01',
  })
  const subscribed = await reasonsOf(scene, formerMember.id, audienceId)
  if (subscribed.length === 0) formerMember.left = false

  const ofPlatform = `${workspace}/suppressions/${await activeSuppression(complainant)}/resolve`
  const workspaceOwner = openApi(stack.base_url, { authorization: 'Bearer wallet-session-dev-wsowner' })
  const refused = await workspaceOwner.call('POST', ofPlatform, reason)
  await workspaceOwner.close()
  print(`the owner of the workspace cannot resolve a platform suppression: “${refused.text}”`)
  const done = await api.call('POST', ofPlatform, reason)
  if (done.status === 200) delete complainant.excludedBy
  return [
    { name: 'reasons left after resolving', actual: resolved.length, expected: 2 },
    { name: 'reasons left after subscribing again', actual: subscribed.length, expected: 0 },
    { name: 'platform suppression, by a workspace owner', actual: refused.status, expected: 403 },
    { name: 'platform suppression, by a platform owner', actual: done.status, expected: 200 },
  ]
}
