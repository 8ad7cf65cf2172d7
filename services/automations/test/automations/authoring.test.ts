import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import type { Fault } from '@lettergate/fault'
import { emptyDefinition, openAutomations, type AutomationsStage } from '../automations-stage.ts'

let s: AutomationsStage
let counter = 0
beforeAll(async () => {
  s = await openAutomations()
})
afterAll(() => s.close())

const create = async (definition: typeof emptyDefinition = emptyDefinition) => {
  counter += 1
  const { automation } = await s.automations.createAutomation(s.us, { name: 'A', slug: `a-${counter}`, definition })
  return automation!
}

test('an automation goes from draft to review, to a new version, to the archive and back', async () => {
  const { id: automationId, selectedVersion: first } = await create()
  const { automation: marked } = await s.automations.markAutomationReadyForReview(s.us, {
    automationId,
    versionId: first!.id,
    definitionChecksum: first!.definitionChecksum,
  })
  expect(marked).toMatchObject({ status: 'ready_for_review', reviewReadyVersion: 1 })
  const { automation: appended } = await s.automations.createAutomationVersion(s.us, {
    automationId,
    definition: emptyDefinition,
  })
  expect(appended).toMatchObject({ status: 'draft', currentVersion: 2 })
  expect(appended!.reviewReadyVersion).toBeUndefined()
  expect((await s.automations.archiveAutomation(s.us, { automationId })).automation).toMatchObject({
    status: 'archived',
  })
  expect((await s.automations.restoreAutomation(s.us, { automationId })).automation).toMatchObject({ status: 'draft' })
  expect((await s.automations.getAutomation(s.us, { automationId })).automation!.versions).toHaveLength(2)
  const one = await s.automations.getAutomationVersion(s.us, { automationId, versionId: first!.id })
  expect(one.version).toEqual(first)
})

test('an archived automation gets a new version, and is a draft again', async () => {
  const { id: automationId } = await create()
  await s.automations.archiveAutomation(s.us, { automationId })
  const { automation } = await s.automations.createAutomationVersion(s.us, {
    automationId,
    definition: emptyDefinition,
  })
  expect(automation).toMatchObject({ status: 'draft', currentVersion: 2 })
})

test('versions appended at the same moment have numbers without gaps', async () => {
  const { id: automationId } = await create()
  const append = () => s.automations.createAutomationVersion(s.us, { automationId, definition: emptyDefinition })
  await Promise.all(Array.from({ length: 8 }, append))
  const { automation } = await s.automations.getAutomation(s.us, { automationId })
  expect(automation!.versions.map(({ version }) => version)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1])
})

test('of two versions that began with the same one, the second is refused, says who saved the first, and can replace it', async () => {
  const { id: automationId } = await create()
  const append = (expectedVersion: number) =>
    s.automations.createAutomationVersion(s.us, { automationId, definition: emptyDefinition, expectedVersion })
  const saved = await Promise.allSettled([append(1), append(1)])
  expect(saved.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  await expect(append(1)).rejects.toMatchObject({
    code: 'conflict',
    reason: 'automation_changed',
    message: expect.stringMatching(
      /^Version 2 of this automation was saved by tester at \S+Z, and you began with version 1\./,
    ),
  })
  expect((await append(2)).automation).toMatchObject({ currentVersion: 3 })
})

test('a version of another automation is not found', async () => {
  const [one, two] = [await create(), await create()]
  const asked = s.automations.getAutomationVersion(s.us, { automationId: one.id, versionId: two.selectedVersion!.id })
  await expect(asked).rejects.toMatchObject({ code: 'not_found' })
})

test('two definitions with the same values in another order have the same checksum', async () => {
  const { trigger, start_node, nodes, edges } = emptyDefinition
  const [one, two] = [await create(), await create({ edges, nodes, start_node, trigger })]
  expect(two.selectedVersion!.definitionChecksum).toBe(one.selectedVersion!.definitionChecksum)
})

test('a version that is marked and one that is appended at the same moment never leave a mark of another version', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { id: automationId, selectedVersion: version } = await create()
    const mark = { automationId, versionId: version!.id, definitionChecksum: version!.definitionChecksum }
    await Promise.allSettled([
      s.automations.markAutomationReadyForReview(s.us, mark),
      s.automations.createAutomationVersion(s.us, { automationId, definition: emptyDefinition }),
    ])
    const { automation } = await s.automations.getAutomation(s.us, { automationId })
    expect(automation).toMatchObject({ status: 'draft', currentVersion: 2 })
    expect(automation!.reviewReadyVersion).toBeUndefined()
  }
})

test('while the gateway does not answer, the list is unavailable, and automations can still be read and written', async () => {
  const impatient = await s.replica({ RPC_TIMEOUT_MS: '500' })
  await expect(impatient.listAutomations(s.us, {})).rejects.toMatchObject({ code: 'unavailable' })
  const { id: automationId } = await create()
  expect((await s.automations.getAutomation(s.us, { automationId })).automation!.id).toBe(automationId)
})

test('of several refusals the body comes first, then what is not there, a conflict, and a reference', async () => {
  const wrong = { ...emptyDefinition, start_node: 'nowhere' }
  const referring = { ...emptyDefinition, trigger: { type: 'audience_subscribed', config: { audience_id: newId() } } }
  const refused = async (answer: Promise<unknown>) => answer.catch((error: Fault) => `${error.code} ${error.reason}`)
  const { id, slug } = await create()
  const made = (definition: object) => s.automations.createAutomation(s.us, { name: 'A', slug, definition } as never)
  expect(await refused(made(wrong))).toBe('invalid_argument definition')
  expect(await refused(made(referring))).toBe('conflict slug')
  const appended = (automationId: string, definition: object) =>
    s.automations.createAutomationVersion(s.us, { automationId, definition } as never)
  expect(await refused(appended(newId(), wrong))).toBe('invalid_argument definition')
  expect(await refused(appended(newId(), referring))).toBe('not_found automation')
  expect(await refused(appended(id, referring))).toBe('invalid_argument definition')
  expect((await s.automations.getAutomation(s.us, { automationId: id })).automation!.currentVersion).toBe(1)
})

test('a missing definition is refused like a wrong one', async () => {
  await expect(s.automations.createAutomation(s.us, { name: 'A', slug: 'missing' })).rejects.toMatchObject({
    code: 'invalid_argument',
    reason: 'definition',
  })
})

test('a workspace has at most 1,000 automations', async () => {
  await s.stage.query(
    `insert into automations.automations (workspace_id, id, name, slug, current_version)
     select $1, gen_random_uuid(), 'A', 'many-' || i, 1 from generate_series(1, 1000) i`,
    [s.them.caller.workspaceId],
  )
  const full = s.automations.createAutomation(s.them, { name: 'A', slug: 'one-more', definition: emptyDefinition })
  await expect(full).rejects.toMatchObject({ code: 'failed_precondition', reason: 'automations_limit' })
})

test('an automation has at most 500 versions', async () => {
  const { id: automationId } = await create()
  await s.stage.query('update automations.automations set current_version = 499 where id = $1', [automationId])
  const append = () => s.automations.createAutomationVersion(s.us, { automationId, definition: emptyDefinition })
  expect((await append()).automation!.currentVersion).toBe(500)
  await expect(append()).rejects.toMatchObject({ code: 'failed_precondition', reason: 'versions_limit' })
  expect((await s.automations.getAutomation(s.us, { automationId })).automation!.currentVersion).toBe(500)
})
