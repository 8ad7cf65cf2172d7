import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { nobody, openContent } from './content-stage.ts'

let s: Awaited<ReturnType<typeof openContent>>
beforeAll(async () => {
  s = await openContent()
})
afterAll(() => s.close())

const ask = (contactId: string, caller = s.us) => s.campaigns.requireContactUnmailed(caller, { contactId })

/** Somebody whom a run has among its recipients; answers contact and run. */
async function recipient(state: string): Promise<{ contactId: string; runId: string }> {
  const [contactId, runId] = [newId(), newId()]
  await s.stage.query(
    `insert into campaigns.run_recipients (workspace_id, id, run_id, batch, contact_id, audience_id, normalized_email, state, reasons, hand_off_id)
     values ($1, $2, $3, 0, $4, $5, $6, $7, case when $7 = 'skipped' then '{consent_withdrawn}'::text[] end, case when $7 = 'claimed' then $5::uuid end)`,
    [s.us.caller.workspaceId, newId(), runId, contactId, newId(), `${contactId}@example.com`, state],
  )
  return { contactId, runId }
}

test.each(['pending', 'claimed', 'skipped', 'failed'])(
  'a contact with a %s message may not go, and the run is told',
  async (state) => {
    const { contactId, runId } = await recipient(state)
    await expect(ask(contactId)).rejects.toMatchObject({
      code: 'failed_precondition',
      reason: 'contact_has_messages',
      message: expect.stringContaining(runId),
    })
  },
)

test('whom no run ever had may go, and so may whom only another tenant’s run has', async () => {
  const { contactId } = await recipient('pending')
  await ask(contactId, s.them)
  for (const id of [newId(), nobody, 'x']) await ask(id)
})
