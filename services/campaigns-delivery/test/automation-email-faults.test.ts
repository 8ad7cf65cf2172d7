import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { AutomationEmails } from '@lettergate/contracts/campaigns/v1/automation_emails'
import type { Fault } from '@lettergate/fault'
import type { Client } from '@lettergate/rpc'
import { until } from '@lettergate/stage'
import { freePort } from '@lettergate/stage/ports'
import pg from 'pg'
import { automationGate, openAutomationEmails, type AskedEmail, type AutomationStage } from './automation-stage.ts'
import { workerProcesses } from './worker-process.ts'

let rig: AutomationStage
let other: Client<typeof AutomationEmails>
let holder: pg.Client
const { start: workerProcess, killAll } = workerProcesses(() => rig)
beforeAll(async () => {
  rig = await openAutomationEmails()
  other = await rig.another()
  holder = new pg.Client({ connectionString: rig.stage.adminUrl })
  await holder.connect()
})
afterEach(async () => {
  await killAll()
  await rig.fault('none')
  await rig.endCooldown()
})
afterAll(async () => {
  await holder.end()
  await rig.close()
})

const people = (count: number) => Promise.all(Array.from({ length: count }, (_, n) => rig.person(`P${n}`)))
const emailsOf = (all: Awaited<ReturnType<typeof people>>) => all.map(({ email }) => email)
/** Asks until every step has a final outcome, like automations. */
const settled = (emails: readonly AskedEmail[]) =>
  until(
    async () => {
      const results = await rig.send(emails)
      return results.every(({ outcome }) => outcome !== 'waiting') && results
    },
    { everyMs: 200, what: 'every step to have an outcome' },
  )
/** The message ids that the provider has, with repeats. */
const received = async (emails: readonly AskedEmail[]) => {
  const wanted = new Set(emails.map(({ stepId }) => stepId))
  return (await rig.messages()).map(({ variables }) => variables['message_id']!).filter((id) => wanted.has(id))
}

describe('calls at the same moment', () => {
  test('two workers with the same steps make one call to the provider for each step', async () => {
    const emails = emailsOf(await people(6))
    await rig.fault('none', 300)
    const answers = await Promise.all([rig.send(emails), rig.send(emails, { to: other }), rig.send(emails)])
    expect(answers.flat().filter(({ outcome }) => !['accepted', 'waiting'].includes(outcome))).toEqual([])
    expect((await settled(emails)).map(({ outcome }) => outcome)).toEqual(emails.map(() => 'accepted'))
    expect((await received(emails)).toSorted()).toEqual(emails.map(({ stepId }) => stepId).toSorted())
  })

  test('overlapping steps in another order deadlock nothing, and each is sent once', async () => {
    const emails = emailsOf(await people(9))
    const [first, second] = [emails.slice(0, 6), emails.slice(3).toReversed()]
    await rig.fault('none', 200)
    await Promise.all([rig.send(first), rig.send(second, { to: other })])
    await settled(emails)
    expect((await received(emails)).toSorted()).toEqual(emails.map(({ stepId }) => stepId).toSorted())
    const handOffs = await rig.stage.query<{ id: string; count: number }>(
      `select m.id, count(*)::int as count from campaigns.hand_offs h, unnest(h.message_ids) as m (id)
        where h.state <> 'put_back' and m.id = any($1::uuid[]) group by 1`,
      [emails.map(({ stepId }) => stepId)],
    )
    expect(handOffs.filter(({ count }) => count !== 1)).toEqual([])
    expect(handOffs).toHaveLength(9)
  })

  test('the database refuses a second hand-off of a message, and one that is not of its automation', async () => {
    const [person] = await people(1)
    await rig.send([person!.email])
    const again = (origin: string) =>
      rig.stage.query(
        `insert into campaigns.hand_offs (workspace_id, id, kind, origin_id, batch, message_ids, connection_id, domain_name, region, credential_env_key, state, judged_at, claimed_at)
         select workspace_id, gen_random_uuid(), kind, $2, batch, message_ids, connection_id, domain_name, region, credential_env_key, 'claimed', judged_at, claimed_at
           from campaigns.hand_offs where $1 = any(message_ids)`,
        [person!.email.stepId, origin],
      )
    await expect(again(rig.automationId)).rejects.toThrow(/stands in another one/)
    await expect(again(person!.contactId)).rejects.toThrow(/not of its automation and batch/)
    await expect(
      rig.stage.query('update campaigns.automation_emails set contact_id = $2 where id = $1', [
        person!.email.stepId,
        rig.automationId,
      ]),
    ).rejects.toThrow(/never changed/)
    await expect(
      rig.stage.query('delete from campaigns.automation_emails where id = $1', [person!.email.stepId]),
    ).rejects.toThrow(/never changed/)
  })
})

describe('a worker that is killed', () => {
  test.each([
    ['after_intent', 'unknown', 0],
    ['after_handoff', 'accepted', 1],
  ] as const)('%s: the step ends as %s, and nothing is sent twice', async (point, outcome, messages) => {
    const port = await freePort()
    const dying = await workerProcess({ DELIVERY_PAUSE_AT: point, RPC_PORT: String(port) })
    const client = await rig.stage.client(AutomationEmails, port)
    const emails = emailsOf(await people(2))
    // It waits for ever, like a dead worker, so its answer may come too late. Another worker may settle the messages before it.
    const ask = () =>
      rig.send(emails, { to: client, timeoutMs: 10_000 }).catch((error: Fault) => {
        if (error.code !== 'unavailable') throw error
        return []
      })
    await until(
      async () => {
        for (const result of await ask()) expect(['waiting', outcome]).toContain(result.outcome)
        return dying.hasSaid('paused forever')
      },
      { what: 'the worker to pause' },
    )
    await dying.killed()
    // Only a claim that is older than the timeout of its call belongs to a lost worker.
    await rig.stage.query(
      `update campaigns.hand_offs set judged_at = judged_at - interval '1 minute', claimed_at = claimed_at - interval '1 minute' where state = 'claimed'`,
    )
    const results = await until(
      async () => {
        const now = await rig.send(emails)
        return now.every((result) => result.outcome === outcome) && now
      },
      { everyMs: 200, what: `the steps to be ${outcome}` },
    )
    expect(await rig.send(emails)).toEqual(results)
    expect(await received(emails)).toHaveLength(messages * emails.length)
  })
})

describe('a call without an answer', () => {
  test.each(['reset_after_accept', 'accept_then_error', 'accept_then_timeout'])(
    '%s: the provider has the messages, its events settle them, and they are not sent again',
    async (mode) => {
      const emails = emailsOf(await people(2))
      await rig.fault(mode)
      for (const { outcome } of await rig.send(emails)) expect(['unknown', 'accepted']).toContain(outcome)
      await rig.fault('none')
      await until(async () => (await rig.send(emails)).every(({ outcome }) => outcome === 'accepted'), {
        what: 'events to settle the messages',
      })
      expect((await received(emails)).toSorted()).toEqual(emails.map(({ stepId }) => stepId).toSorted())
    },
  )

  test('messages that the provider does not know stay unknown; after the last lookup an alert names the automation', async () => {
    const [person] = await people(1)
    await rig.fault('server_error')
    const [first] = await rig.send([person!.email])
    expect(first).toMatchObject({ outcome: 'unknown', messageId: person!.email.stepId })
    await rig.fault('none')
    await rig.endCooldown()
    await expect(
      rig.campaigns.requireConnectionUnused(rig.us, { connectionId: rig.connectionId }),
    ).rejects.toMatchObject({ reason: 'connection_in_use', message: expect.stringContaining('an email of automation') })
    for (let lookups = 1; lookups <= 4; lookups += 1) {
      await rig.stage.query(
        `update campaigns.hand_offs set next_lookup_at = now() where $1 = any(message_ids) and state = 'unknown'`,
        [person!.email.stepId],
      )
      await until(async () => {
        const [row] = await rig.stage.query<{ lookups: number }>(
          'select lookups from campaigns.hand_offs where $1 = any(message_ids)',
          [person!.email.stepId],
        )
        return row!.lookups === lookups
      })
    }
    expect(await rig.send([person!.email])).toEqual([first])
    expect(await received([person!.email])).toEqual([])
    const alerts = await rig.stage.query(
      `select 1 from campaigns.outbox where event = 'alert_raised' and position($1::bytea in payload) > 0 and position($2::bytea in payload) > 0`,
      [Buffer.from('automation_id'), Buffer.from(rig.automationId)],
    )
    expect(alerts).toHaveLength(1)
  })
})

/** Sends these emails while the row of the connection is locked: the verdicts are there, and the intent waits. */
async function judged(emails: readonly AskedEmail[]) {
  await rig.stage.query(
    `insert into campaigns.connection_holds (workspace_id, connection_id, until, failures, reason) values ($1, $2, now() - interval '1 minute', 0, 'unreachable')`,
    [rig.workspaceId, rig.connectionId],
  )
  await holder.query('begin')
  await holder.query('select 1 from campaigns.connection_holds where connection_id = $1 for update', [rig.connectionId])
  const sending = rig.send(emails)
  const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%from connection_holds%'`
  await until(async () => (await rig.stage.query(waiting)).length > 0, {
    what: 'the intent to wait',
  })
  return { sending, goOn: () => holder.query('commit') }
}

describe('between verdict and intent', () => {
  test('a contact who is suppressed gets nothing, and the others get their message', async () => {
    const [stays, goes] = await people(2)
    const { sending, goOn } = await judged([stays!.email, goes!.email])
    await rig.contacts.suppressContact(rig.us, { contactId: goes!.contactId, scope: 'workspace', reason: 'manual' })
    await until(
      async () =>
        (await rig.stage.query('select 1 from campaigns.refusals_heard where contact_id = $1', [goes!.contactId]))
          .length > 0,
      { what: 'the refusal to be received' },
    )
    await goOn()
    await sending
    expect(await settled([stays!.email, goes!.email])).toMatchObject([
      { outcome: 'accepted' },
      { outcome: 'skipped', reasons: ['suppressed_workspace'] },
    ])
    expect(await rig.messagesTo(goes!.address)).toEqual([])
    expect(await rig.messagesTo(stays!.address)).toHaveLength(1)
  })

  test('a gate that is closed stops the call, and the message is sent once when it opens', async () => {
    const [person] = await people(1)
    const { sending, goOn } = await judged([person!.email])
    await rig.setGate(false, automationGate)
    await until(
      async () => {
        const [probe] = await people(1)
        return (await rig.send([probe!.email]))[0]!.reasons[0] === automationGate
      },
      { what: 'the worker to know the gate' },
    )
    const before = await rig.calls()
    await goOn()
    expect(await sending).toMatchObject([{ outcome: 'waiting' }])
    expect(await rig.calls()).toBe(before)
    await rig.setGate(true, automationGate)
    expect(await settled([person!.email])).toMatchObject([{ outcome: 'accepted' }])
    expect(await rig.messagesTo(person!.address)).toHaveLength(1)
  })

  test('when verdicts expire, the gates are checked again, even if no change was reported', async () => {
    // The intent waits longer than the worker keeps an answer about the gates, which is three seconds.
    await rig.stage.query(
      `create function campaigns.slow_interval() returns trigger language plpgsql as $$ begin perform pg_sleep(3.5); return new; end $$;
       create trigger slow_interval before insert on campaigns.interval_claims for each row execute function campaigns.slow_interval()`,
    )
    const { address, email } = await rig.person('Gated', { audienceIds: [await rig.audience(3_600)] })
    const sending = rig.send([email])
    const sleeping = `select 1 from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`
    await until(async () => (await rig.stage.query(sleeping)).length > 0, { everyMs: 20, what: 'the intent to wait' })
    await rig.stage.query('update identity.platform_gates set stored = false where name = $1', [automationGate])
    // Waits for the first intent and lets no other one wait.
    await rig.stage.query('drop trigger slow_interval on campaigns.interval_claims')
    expect(await sending).toMatchObject([{ outcome: 'waiting', reasons: [automationGate] }])
    expect(await rig.messagesTo(address)).toEqual([])
    await rig.setGate(true, automationGate)
    expect(await settled([email])).toMatchObject([{ outcome: 'accepted' }])
  })
})
