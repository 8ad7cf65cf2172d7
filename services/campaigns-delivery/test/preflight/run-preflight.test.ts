import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openContent } from '../content-stage.ts'

let rig: Awaited<ReturnType<typeof openContent>>
beforeAll(async () => {
  // The gateway, imports and webhook-intake do not run.
  rig = await openContent()
})
afterAll(() => rig.close())

const codesOf = async (caller = rig.us) => {
  const { preflight } = await rig.campaigns.runPreflight(caller, {}, { timeoutMs: 60_000 })
  return Object.fromEntries(preflight!.checks.map(({ code, detail }) => [code, detail]))
}

test('a preflight while other services do not answer says which ones, and is blocked', async () => {
  const details = await codesOf()
  for (const code of ['production_ceiling', 'production_switch', 'workspace_sending', 'workspace_active'])
    expect(details[code]).toContain('gateway did not answer')
  expect(details['import_in_progress']).toContain('imports did not answer')
  expect(details['provider_connection']).toBe('The workspace has no provider connection.')
  const { preflight } = await rig.campaigns.getPreflight(rig.us, {})
  expect(preflight).toMatchObject({ status: 'blocked' })
})

test('a draft whose content shows no unsubscribe link is named', async () => {
  const contentVersionId = await rig.content(rig.us, '<p>Hi {{ first_name }}</p>')
  const draft = await rig.draftRequest()
  const { campaign } = await rig.campaigns.createCampaignDraft(rig.us, { ...draft, contentVersionId })
  await rig.campaigns.createCampaignDraft(rig.us, { ...(await rig.draftRequest()) })
  const { preflight } = await rig.campaigns.runPreflight(rig.us, {}, { timeoutMs: 60_000 })
  const link = preflight!.checks.find(({ code }) => code === 'unsubscribe_link')!
  expect(link).toMatchObject({ status: 'warn', evidence: { campaigns_without_link: [campaign!.id] } })
})

test('each workspace has reports of its own', async () => {
  expect((await rig.campaigns.getPreflight(rig.them, {})).preflight).toBeUndefined()
  const { preflight: ours } = await rig.campaigns.getPreflight(rig.us, {})
  await codesOf(rig.them)
  const { preflight: theirs } = await rig.campaigns.getPreflight(rig.them, {})
  expect(theirs!.workspaceId).toBe(rig.them.caller.workspaceId)
  expect((await rig.campaigns.getPreflight(rig.us, {})).preflight!.id).toBe(ours!.id)
  const listOf = async (caller: typeof rig.us) =>
    (await rig.campaigns.listPreflights(caller, {})).preflights.map(({ id, previousId }) => [id, previousId])
  expect(await listOf(rig.them)).toEqual([[theirs!.id, undefined]])
  const [newest, ...older] = await listOf(rig.us)
  expect(newest).toEqual([ours!.id, older[0]![0]])
  expect(older.map(([id]) => id)).not.toContain(theirs!.id)
})
