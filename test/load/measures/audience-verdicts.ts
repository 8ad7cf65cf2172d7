import { ContactsConsent } from '@lettergate/contracts/contacts/v1/contacts'
import { connect } from '@lettergate/rpc'
import { createService, systemCaller } from '@lettergate/service'
import { audienceOf } from '../audience.ts'
import type { Bench } from '../bench.ts'
import type { Result } from '../result.ts'

const sizes = [100_000, 1_000_000]

/** A whole audience judged and streamed over gRPC, as a snapshot asks for it. What a verdict costs must not grow with the audience. */
export async function audienceVerdicts(bench: Bench): Promise<Result[]> {
  const results: Result[] = []
  for (const size of sizes) {
    const audienceId = await audienceOf(bench, size)
    bench.tell(`verdicts on ${size}`)
    results.push({
      name: `verdicts, audience of ${size}`,
      unit: 'rows/s',
      floor: await streamedByDatabase(bench, audienceId, size),
      ours: await streamedByService(bench, audienceId, size),
      floorIs: 'one SQL, streamed to its client',
    })
  }
  return results
}

async function streamedByService({ stack, look }: Bench, audienceId: string, size: number): Promise<number> {
  const [audience] = (
    await look.query<{ workspace_id: string }>('select workspace_id from contacts.audiences where id = $1', [
      audienceId,
    ])
  ).rows
  const service = createService('bench', { logLevel: 'warn' })
  const target = `127.0.0.1:${stack.ports['contacts-consent.rpc']}`
  const client = await service.use(connect(service, target, ContactsConsent))
  const caller = { ...systemCaller('bench', 'bench-verdicts'), workspaceId: audience!.workspace_id }
  const scope = { caller, deadline: Infinity, signal: new AbortController().signal }
  let seen = 0
  const began = performance.now()
  const batches = client.streamAudienceVerdicts(scope, { audienceIds: [audienceId] }, { timeoutMs: 300_000 })
  for await (const { verdicts } of batches) seen += verdicts.length
  const seconds = (performance.now() - began) / 1_000
  await service.stop()
  if (seen !== size) throw new Error(`${seen} verdicts on ${size} members`)
  return size / seconds
}

/** The least that the answer needs: members with their address and what suppresses them, through a cursor. */
async function streamedByDatabase({ look }: Bench, audienceId: string, size: number): Promise<number> {
  let seen = 0
  const began = performance.now()
  await look.query('begin')
  await look.query("select set_config('cursor_tuple_fraction', '1.0', true), set_config('jit', 'off', true)")
  await look.query(
    `declare members no scroll cursor for
       select m.contact_id, c.normalized_email, m.consent, s.reason, p.reason as everywhere
         from contacts.memberships m
         join contacts.contacts c on c.workspace_id = m.workspace_id and c.id = m.contact_id
         left join contacts.suppressions s on s.workspace_id = m.workspace_id and s.contact_id = m.contact_id and s.resolved_at is null
         left join contacts.platform_suppressions p on p.normalized_email = c.normalized_email and p.resolved_at is null
        where m.audience_id = '${audienceId}' and m.is_active`,
  )
  for (;;) {
    const { rows } = await look.query('fetch 1000 from members')
    seen += rows.length
    if (rows.length < 1_000) break
  }
  await look.query('commit')
  const seconds = (performance.now() - began) / 1_000
  if (seen !== size) throw new Error(`the floor saw ${seen} of ${size} members`)
  return size / seconds
}
