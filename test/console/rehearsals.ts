import { randomUUID } from 'node:crypto'
import { until } from '@lettergate/stage'
import type { Constellation } from '@lettergate/e2e/constellation'
import { atConsole, workspace, type ConsoleWorld } from './world.ts'

const lab = workspace.replace('newsletter', 'synthetic-lab')

/** A draft in the archived workspace of contacts who do not exist: half a year, then a tag decides. */
export async function addRehearsedAutomation({ owner }: ConsoleWorld): Promise<string> {
  await owner.ok('POST', `${lab}/contacts/upsert`, { email: 'first@rehearsal.invalid', source: 'form', tags: ['vip'] })
  const edge = (from: string, to: string) => ({ from, to, branch: 'default' })
  const { automation } = await owner.ok<{ automation: { id: string } }>('POST', `${lab}/automations`, {
    name: 'Half a year',
    slug: 'half-a-year',
    definition: {
      trigger: { type: 'manual', config: {} },
      start_node: 'half-a-year',
      nodes: [
        { key: 'half-a-year', type: 'wait_duration', config: { seconds: 180 * 86_400 } },
        { key: 'is-keen', type: 'decision', config: {} },
        { key: 'thank', type: 'adjust_score', config: { amount: 5 } },
        { key: 'end', type: 'end', config: {} },
      ],
      edges: [
        edge('half-a-year', 'is-keen'),
        { from: 'is-keen', to: 'thank', branch: 'keen', condition: { tag: 'vip', operator: 'exists' } },
        edge('is-keen', 'end'),
        edge('thank', 'end'),
      ],
    },
  })
  return automation.id
}

/** Half a year of that automation with a virtual clock. */
export async function runVirtualClock(services: Constellation, { owner }: ConsoleWorld, automationId: string) {
  const context = { synthetic_context_id: 'console' }
  const { contact } = await owner.ok<{ contact: { id: string } }>('POST', `${lab}/contacts/upsert`, {
    email: 'reader@rehearsal.invalid',
    source: 'form',
    tags: ['vip'],
    source_metadata: context,
  })
  const { automation } = await owner.ok<{ automation: { selected_version: { id: string } } }>(
    'GET',
    `${lab}/automations/${automationId}`,
  )
  const browser = await services.inBrowser('owner')
  const { enrollment } = await browser.ok<{ enrollment: { id: string } }>(
    'POST',
    `${atConsole.replace('newsletter', 'synthetic-lab')}/automations/${automationId}/versions/${automation.selected_version.id}/synthetic-runs`,
    { contact_id: contact.id, ...context, starts_at: '2027-01-01T09:00:00Z' },
    { 'idempotency-key': randomUUID() },
  )
  return enrollment.id
}

/** A rehearsal of capacity that ran to its end. */
export async function rehearseCapacity({ owner }: ConsoleWorld): Promise<string> {
  const { run } = await owner.ok<{ run: { id: string } }>('POST', `${workspace}/operations/synthetic-rehearsals`, {
    idempotency_key: randomUUID(),
    confirmation: 'RUN 100 SYNTHETIC REHEARSAL',
    recipient_count: 100,
  })
  await until(async () => {
    const answer = await owner.ok<{ run: { state: string } }>(
      'GET',
      `${workspace}/operations/synthetic-rehearsals/${run.id}`,
    )
    return answer.run.state === 'completed'
  })
  return run.id
}
