import { newId } from '@lettergate/database'
import { until } from '@lettergate/stage'
import { openDelivery } from './delivery-stage.ts'

/** The exact confirmation. */
export const phrase = 'SEND UNKNOWN AGAIN: PEOPLE MAY GET IT TWICE'

/** The services of delivery, with runs whose messages are unknown. */
export async function openResend() {
  const rig = await openDelivery()
  let worker: Awaited<ReturnType<typeof rig.worker>> | undefined
  let counter = 0

  const resend = (
    runId: string,
    count: number,
    more: { key?: string; confirmation?: string; senderIdentityId?: string | undefined } = {},
  ) =>
    rig.campaigns.resendCampaignRunUnknown(rig.us, {
      runId,
      count,
      confirmation: more.confirmation ?? phrase,
      idempotencyKey: more.key ?? newId(),
      ...(more.senderIdentityId === undefined ? {} : { senderIdentityId: more.senderIdentityId }),
    })
  const becomes = (runId: string, state: string) =>
    until(async () => (await rig.report(runId)).run.state === state, { everyMs: 100, what: `the run to be ${state}` })
  /** Sets what the provider does with calls from now on, and ends the cooldown of its connection. */
  const failing = async (mode: string) => {
    await rig.sim('PUT', '/faults', { mode })
    await rig.stage.query('delete from campaigns.connection_holds')
  }

  return {
    ...rig,
    resend,
    becomes,
    failing,
    work: async () => void (worker ??= await rig.worker()),
    /** Stops everything until the next worker starts. */
    async stopWorkers() {
      await worker?.stop()
      worker = undefined
    },
    resent: async (runId: string, count: number, key = newId()) => (await resend(runId, count, { key })).campaignRun!,
    cancel: (runId: string) => rig.campaigns.controlCampaignRun(rig.us, { runId, action: 'cancel' }),
    /** The recipients p0, p1 … of the messages at the provider, once for each message. */
    mailed: async () => (await rig.messages()).map(({ to }) => to.match(/p\d+/)?.[0] ?? to).sort(),
    recipientsOf: (runId: string) =>
      rig.stage.query<{ id: string; contact_id: string; audience_id: string; normalized_email: string }>(
        `select id, contact_id, audience_id, normalized_email from campaigns.run_recipients where run_id = $1 order by normalized_email`,
        [runId],
      ),
    runsOf: (campaignId: string) =>
      rig.stage.query<{ id: string; state: string; resends_run_id: string | null }>(
        `select id, state, resends_run_id from campaigns.campaign_runs where campaign_id = $1 order by id`,
        [campaignId],
      ),
    /** A finished run to recipients p0, p1 … whose messages are all unknown, because of this fault mode of the provider. */
    async unknownRun(people: number, { interval = 0, mode = 'server_error', tag = '' } = {}) {
      counter += 1
      const { audience } = await rig.contacts.createAudience(rig.us, {
        name: 'Newsletter',
        slug: `resent-${counter}`,
        purpose: 'newsletter',
        minimumIntervalSeconds: interval,
      })
      const contacts: string[] = []
      for (let n = 0; n < people; n += 1)
        contacts.push(await rig.subscriber(audience!.id, `p${n}-${counter}${tag}@example.org`))
      const { campaignId, templateId } = await rig.draft(audience!.id)
      await failing(mode)
      const run = await rig.schedule(campaignId, { inMs: 500 })
      await becomes(run.id, 'completed')
      await failing('none')
      const { report } = await rig.report(run.id)
      if (report.unknown !== people) throw new Error(`${report.unknown} of ${people} messages are unknown`)
      return { run, campaignId, templateId, audienceId: audience!.id, contacts }
    },
  }
}

export type ResendStage = Awaited<ReturnType<typeof openResend>>
