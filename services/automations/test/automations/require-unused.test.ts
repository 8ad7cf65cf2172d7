import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { emptyDefinition } from '../automations-stage.ts'
import { addTag, sequence, wait } from '../engine/definitions.ts'
import { enrollmentRows } from '../enrollments/enrollment-rows.ts'
import { openRuntime, type RuntimeStage } from '../runtime-stage.ts'

let s: RuntimeStage
let contentVersionId: string
beforeAll(async () => {
  s = await openRuntime({ hasWorker: false })
  await s.contacts.registerTag(s.us, { name: 'welcomed' })
  contentVersionId = await s.content()
})
afterAll(() => s.close())

const manual = { type: 'manual', config: {} }
const kinds = [
  {
    what: 'an audience',
    reason: 'audience_in_use',
    make: () => s.audience(),
    ask: (audienceId: string, caller = s.us) => s.automations.requireAudienceUnused(caller, { audienceId }),
    using: (id: string) =>
      sequence(manual, [wait(60), { type: 'remove_audience', config: { audience_id: id } }, addTag('welcomed')]),
  },
  {
    what: 'a sender',
    reason: 'sender_in_use',
    make: () => s.sender(),
    ask: (senderId: string, caller = s.us) => s.automations.requireSenderUnused(caller, { senderId }),
    using: (id: string) =>
      sequence(manual, [
        wait(60),
        { type: 'send_email', config: { content_version_id: contentVersionId, sender_identity_id: id } },
      ]),
  },
]

describe.each(kinds)('$what', ({ reason, make, ask, using }) => {
  const refusal = { code: 'failed_precondition', reason }

  test('may be deleted unless an automation names it; the error names the automation', async () => {
    const [used, free] = [await make(), await make()]
    const { id } = await s.reviewed(using(used))
    await ask(free)
    const refused = await ask(used).catch((error: unknown) => error)
    expect(refused).toMatchObject(refusal)
    expect((refused as Error).message).toContain(id)
    await expect(ask(used.toUpperCase())).rejects.toMatchObject(refusal)
    await ask(used, s.them)
    for (const unknown of [newId(), 'no-id']) await ask(unknown)
    await s.automations.archiveAutomation(s.us, { automationId: id })
    await ask(used)
  })

  test('is needed by the published version until another is published, and while contacts are in an earlier one', async () => {
    const used = await make()
    const { id: automationId, selectedVersion: first } = await s.reviewed(using(used))
    await s.automations.publishAutomation(s.us, { automationId })
    const definition = emptyDefinition as never
    const { automation } = await s.automations.createAutomationVersion(s.us, { automationId, definition })
    await expect(ask(used)).rejects.toMatchObject(refusal)
    await s.review(automation!)
    await s.automations.publishAutomation(s.us, { automationId })
    await ask(used)
    const { workspaceId } = s.us.caller as { workspaceId: string }
    const rows = enrollmentRows(s.stage, { workspaceId, automationId, versionId: first!.id })
    const enrollmentId = await rows.enrollment()
    await rows.position(enrollmentId, { node_key: '1-wait_duration' })
    await expect(ask(used)).rejects.toMatchObject(refusal)
    await s.automations.controlEnrollment(s.us, { enrollmentId, action: 'cancel' })
    await ask(used)
  })
})
