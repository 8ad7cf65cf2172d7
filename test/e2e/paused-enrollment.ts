import type { Api } from '@lettergate/demo/api'
import { until } from '@lettergate/stage'
import { workspace, type Query } from './erased-people.ts'
import { publishAutomation } from './publish-automation.ts'

/** Publishes an automation in which everybody who subscribes to the audience waits for a day. Answers its id. */
export async function publishWait({ audienceId, ...callers }: { api: Api; operator: Api; audienceId: string }) {
  const definition = {
    trigger: { type: 'audience_subscribed', config: { audience_id: audienceId } },
    start_node: 'wait',
    nodes: [{ key: 'wait', type: 'wait_duration', config: { seconds: 86_400 } }],
    edges: [],
  }
  return publishAutomation(callers, 'a', definition)
}

/** Pauses the enrollment of a contact once there is one, with a reason. */
export async function pauseEnrollment(of: {
  api: Api
  query: Query
  automationId: string
  contactId: string
  reason: string
}): Promise<void> {
  const { api, query, automationId, contactId, reason } = of
  const enrolled = 'select id from automations.enrollments where automation_id = $1 and contact_id = $2'
  const enrollment = await until(async () => (await query(enrolled, [automationId, contactId])).rows[0], {
    what: 'the enrollment',
  })
  await api.ok('POST', `${workspace}/automation-enrollments/${enrollment['id']!}/pause`, { reason })
}
