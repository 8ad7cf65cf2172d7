import { ContactsConsent } from '@lettergate/contracts/contacts/v1/contacts'
import { certificatesIn } from '@lettergate/local/launcher/processes'
import { connect } from '@lettergate/rpc'
import { createService, systemCaller } from '@lettergate/service'
import { certificateFiles } from '@lettergate/stage/certificate-files'
import { audienceOf } from '../audience.ts'
import type { Bench } from '../bench.ts'
import { compareInTurns } from '../in-turns.ts'
import type { Result } from '../result.ts'

const sizes = [100_000, 1_000_000]
const rounds = 3

/** Streams the verdicts on a whole audience over gRPC, like a snapshot. The cost of a verdict must not grow with the audience. */
export async function audienceVerdicts(bench: Bench): Promise<Result[]> {
  const results: Result[] = []
  for (const size of sizes) {
    const audienceId = await audienceOf(bench, size)
    bench.print(`verdicts on ${size}`)
    const all = async (seen: Promise<number>) => {
      const began = performance.now()
      const done = await seen
      if (done !== size) throw new Error(`${done} verdicts on ${size} members`)
      return { done, failures: 0, perSecond: (done * 1_000) / (performance.now() - began) }
    }
    const name = `verdicts, audience of ${size}`
    const compared = await compareInTurns(
      bench,
      { name, unit: 'verdict' },
      {
        rounds,
        floor: () => all(streamedByDatabase(bench, audienceId)),
        ours: () => all(streamedByService(bench, audienceId)),
      },
    )
    results.push({ name, unit: 'rows/s', ...compared, floorIs: 'one SQL with every reason, streamed to its client' })
  }
  return results
}

async function streamedByService({ config, stack, database }: Bench, audienceId: string): Promise<number> {
  const [audience] = (
    await database.query<{ workspace_id: string }>('select workspace_id from contacts.audiences where id = $1', [
      audienceId,
    ])
  ).rows
  // with the certificate of the service that calls this rpc when it builds a snapshot
  const name = 'campaigns-delivery'
  const service = createService(name, {
    logLevel: 'warn',
    tls: certificateFiles(certificatesIn(config.stateDirectory), name),
  })
  const target = `127.0.0.1:${stack.ports['contacts-consent.rpc']}`
  const client = await service.use(connect(service, target, ContactsConsent))
  const caller = { ...systemCaller('bench', 'bench-verdicts'), workspaceId: audience!.workspace_id }
  const scope = { caller, deadline: Infinity, signal: new AbortController().signal }
  let seen = 0
  const request = { audienceIds: [audienceId], eligibleInLines: true }
  for await (const { verdicts, eligible } of client.streamAudienceVerdicts(scope, request, { timeoutMs: 300_000 }))
    seen += verdicts.length + eligible.reduce((sum, { count }) => sum + count, 0)
  await service.stop()
  return seen
}

/** The same verdicts without row-level security and without a service: the client reads a cursor, 1,000 rows at a time. */
async function streamedByDatabase({ database }: Bench, audienceId: string): Promise<number> {
  let seen = 0
  await database.query('begin')
  await database.query("select set_config('cursor_tuple_fraction', '1.0', true), set_config('jit', 'off', true)")
  await database.query(
    `declare members no scroll cursor for
       select m.contact_id, m.audience_id, c.normalized_email, concat_ws(',',
           case when w.is_archived then 'workspace_archived' end,
           case when a.archived_at is not null then 'audience_archived' end,
           case when exists (select from contacts.platform_suppressions s
                              where s.normalized_email = c.normalized_email and s.resolved_at is null) then 'suppressed_platform' end,
           case when exists (select from contacts.suppressions s
                              where s.workspace_id = c.workspace_id and s.contact_id = c.id and s.scope = 'workspace'
                                and s.resolved_at is null) then 'suppressed_workspace' end,
           case when exists (select from contacts.suppressions s
                              where s.workspace_id = c.workspace_id and s.contact_id = c.id and s.scope = 'audience'
                                and s.audience_id = a.id and s.resolved_at is null) then 'suppressed_audience' end,
           case when m.consent is null then 'consent_missing' end,
           case when m.consent = 'withdrawn' then 'consent_withdrawn' end,
           case when m.under_review_since is not null then 'consent_under_review' end,
           case when c.legacy_consent_classification <> 'documented' then 'legacy_consent_unverified' end,
           case when a.minimum_interval_seconds > 0
                 and m.last_handed_off_at > now() - make_interval(secs => a.minimum_interval_seconds)
                then 'minimum_interval_not_elapsed' end) as reasons
         from contacts.audiences a
         join contacts.workspaces w on w.workspace_id = a.workspace_id
         join contacts.memberships m on m.workspace_id = a.workspace_id and m.audience_id = a.id and m.is_active
         join contacts.contacts c on c.workspace_id = m.workspace_id and c.id = m.contact_id
        where a.id = '${audienceId}'`,
  )
  for (;;) {
    const { rows } = await database.query('fetch 1000 from members')
    seen += rows.length
    if (rows.length < 1_000) break
  }
  await database.query('commit')
  return seen
}
