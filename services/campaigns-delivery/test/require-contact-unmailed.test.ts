import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { nobody, openContent } from './content-stage.ts'
import { insertRecipient } from './message-rows.ts'

let s: Awaited<ReturnType<typeof openContent>>
beforeAll(async () => {
  s = await openContent()
})
afterAll(() => s.close())

const ask = (contactId: string, caller = s.us) => s.campaigns.requireContactUnmailed(caller, { contactId })

/** Creates a recipient of a run and returns contact and run. */
async function recipient(): Promise<{ contactId: string; runId: string }> {
  const [contactId, runId] = [newId(), newId()]
  await insertRecipient(s.stage, { workspaceId: s.us.caller.workspaceId!, id: newId(), runId, contactId })
  return { contactId, runId }
}

test('a contact with a message cannot be deleted, whatever its state, and the error names the run', async () => {
  const { contactId, runId } = await recipient()
  await expect(ask(contactId)).rejects.toMatchObject({
    code: 'failed_precondition',
    reason: 'contact_has_messages',
    message: expect.stringContaining(runId),
  })
})

test('a contact without a run in this workspace may be deleted', async () => {
  const { contactId } = await recipient()
  await ask(contactId, s.them)
  for (const id of [newId(), nobody, 'x']) await ask(id)
})
