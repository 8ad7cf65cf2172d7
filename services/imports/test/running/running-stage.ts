import { WorkspaceChangedSchema } from '@lettergate/contracts/events/v1/events'
import type { Import } from '@lettergate/contracts/imports/v1/imports'
import pg from 'pg'
import { sha256Of } from '@lettergate/canonical-json'
import { newId } from '@lettergate/database'
import type { CallScope } from '@lettergate/service'
import { until } from '@lettergate/stage'
import { chunkBytes } from '../../src/payload/chunk-cipher.ts'
import { openImports } from '../imports-stage.ts'

export type RunningStage = Awaited<ReturnType<typeof openRunning>>

export interface QueuedImport {
  /** header to target; every header of the file is its own target when left out */
  mapping?: Record<string, string>
  consentPolicy?: 'review_required' | 'explicit_opt_in' | 'status_column'
  policy?: Record<string, unknown>
  audienceId?: string
  /** the caller, and so the workspace */
  as?: CallScope
}

/** What an import changed, without ids and times: equal for the same file in workspaces with the same history. */
export interface Changed {
  contacts: unknown[]
  memberships: unknown[]
  suppressions: unknown[]
  events: unknown[]
}

/** imports with a live audience, and files that are uploaded and mapped. */
export async function openRunning() {
  const rig = await openImports()
  const { stage, us, imports, contacts } = rig
  let audiences = 0

  async function audience(as: CallScope = us): Promise<string> {
    audiences += 1
    const { audience: made } = await contacts.createAudience(as, {
      name: `Newsletter ${audiences}`,
      slug: `newsletter-${audiences}`,
      purpose: 'newsletter',
    })
    return made!.id
  }

  async function mapped(csv: string, options: QueuedImport = {}): Promise<string> {
    const { consentPolicy = 'status_column', policy = {}, as = us } = options
    const audienceId = options.audienceId ?? (await audience(as))
    const headers = csv.slice(0, csv.indexOf('\n')).split(',')
    const mapping = options.mapping ?? Object.fromEntries(headers.map((header) => [header, header]))
    const chunks = csv.match(new RegExp(`[^]{1,${chunkBytes}}`, 'g')) ?? []
    const id = await rig.stored(chunks, as)
    await stage.query(
      `update imports.import_jobs set audience_id = $2, headers = $3, mapping = $4, consent_policy = $5, policy = $6, status = 'dry_run_queued'
        where id = $1`,
      [id, audienceId, JSON.stringify(headers), JSON.stringify(mapping), consentPolicy, JSON.stringify(policy)],
    )
    return id
  }

  const read = async (jobId: string, as: CallScope = us): Promise<Import> =>
    (await imports.getImport(as, { jobId })).import!
  /** Waits until the import has this status or has failed, and answers it. */
  const reached = (jobId: string, status: string, as: CallScope = us) =>
    until(
      async () => {
        const found = await read(jobId, as)
        return found.status === status || found.status === 'failed' ? found : undefined
      },
      { timeoutMs: 240_000, everyMs: 50, what: `the import to be ${status}` },
    )
  const confirmation = (jobId: string) => `APPLY CSV IMPORT ${jobId} TO acme/news`

  async function approve(jobId: string, as: CallScope = us): Promise<Import> {
    const { workspace } = as.caller
    const text = confirmation(jobId).replace('acme/news', `acme/${workspace}`)
    return (await imports.approveImport(as, { jobId, confirmation: text })).import!
  }
  /** Holds a table, of contacts-consent if no other schema is given. Answers how to find out that a statement waits for it, and how to let go. */
  async function held(table: string, schema = 'contacts') {
    const holder = new pg.Client({ connectionString: rig.stage.adminUrl })
    await holder.connect()
    await holder.query(`begin; lock table ${schema}.${table} in access exclusive mode`)
    const waiting = async () => {
      const { rows } = await holder.query<{ count: number }>(
        `select count(*)::int as count from pg_locks l join pg_class c on c.oid = l.relation
          where c.relname = $1 and not l.granted and l.database = (select oid from pg_database where datname = current_database())`,
        [table],
      )
      return rows[0]!.count > 0
    }
    return {
      waited: () => until(waiting, { everyMs: 20, what: `a statement to wait for ${table}` }),
      release: () => holder.end(),
    }
  }

  return {
    ...rig,
    audience,
    mapped,
    read,
    reached,
    confirmation,
    approve,
    /** Another workspace of the organization. Answers a caller of it. */
    async workspace(slug: string): Promise<CallScope> {
      const workspaceId = newId()
      await stage.query(
        `insert into identity.workspaces (id, organization_id, slug, name) select $1, id, $2, $2 from identity.organizations where slug = 'acme'`,
        [workspaceId, slug],
      )
      const facts = { workspaceId, organization: 'acme', workspace: slug, name: slug }
      await stage.publish('gateway', WorkspaceChangedSchema, facts, { workspaceId })
      await until(
        async () =>
          (await stage.query('select 1 from contacts.workspaces where workspace_id = $1', [workspaceId])).length > 0,
      )
      return stage.caller({ workspaceId, organization: 'acme', workspace: slug })
    },
    held,
    /** An approved import whose first batches wait inside of contacts-consent. */
    async stuckInApply(csv: string) {
      const id = await mapped(csv)
      const { report } = await reached(id, 'ready_for_review')
      const lock = await held('import_rows')
      await approve(id)
      await lock.waited()
      return { id, lock, addresses: Number(report!['contacts_new']) }
    },
    /** What is in the tables of contacts-consent for this workspace. */
    async changed(as: CallScope = us): Promise<Changed> {
      const rows = (text: string) => stage.query(text, [as.caller.workspaceId])
      const [people, memberships, suppressions, events] = await Promise.all([
        rows(`select normalized_email, first_name, company from contacts.contacts where workspace_id = $1 order by 1`),
        rows(`select c.normalized_email, m.is_active, m.consent from contacts.memberships m join contacts.contacts c on c.id = m.contact_id
               where m.workspace_id = $1 order by 1, 2, 3`),
        rows(`select c.normalized_email, s.scope, s.reason, s.resolved_at is null as is_open from contacts.suppressions s
                join contacts.contacts c on c.id = s.contact_id where s.workspace_id = $1 order by 1, 2, 3`),
        rows(`select c.normalized_email, e.kind, e.reason from contacts.consent_events e join contacts.contacts c on c.id = e.contact_id
               where e.workspace_id = $1 order by 1, 2, 3`),
      ])
      return { contacts: people, memberships, suppressions, events }
    },
    /** How often each row of an import is in the ledger, and how many rows there are. */
    ledger: async (jobId: string) =>
      (
        await stage.query<{ rows: number; most: number }>(
          `select coalesce(sum(times), 0)::int as rows, coalesce(max(times), 0)::int as most
             from (select count(*) as times from contacts.import_rows where import_id = $1 group by row_number) r`,
          [jobId],
        )
      )[0]!,
    /** Stores an import with a report, as a dry run leaves it. */
    async reviewable(csv = 'email,status\nada@example.com,subscribed\n', options: QueuedImport = {}): Promise<string> {
      const id = await mapped(csv, options)
      const report = { rows_total: 1, rows_valid: 1 }
      await stage.query(
        `update imports.import_jobs set status = 'ready_for_review', report = $2, report_checksum = $3 where id = $1`,
        [id, JSON.stringify(report), sha256Of(report)],
      )
      return id
    },
    /** Enables a sender of this workspace, behind the back of sending-infra. */
    async enabledSender(): Promise<void> {
      const domainId = newId()
      await stage.query(
        `insert into sending.sending_domains (id, workspace_id, domain_name, provider_records, created_by) values ($1, $2, $3, '[]', 'tester')`,
        [domainId, rig.workspaceId, `${domainId}.test`],
      )
      await stage.query(
        `insert into sending.sender_identities (id, workspace_id, sending_domain_id, display_name, from_address, reply_to, is_enabled, enabled_at, created_by)
         values ($1, $2, $3, 'News', 'news@acme.test', 'news@acme.test', true, now(), 'tester')`,
        [newId(), rig.workspaceId, domainId],
      )
    },
    change: (id: string, change: string) => stage.query(`update imports.import_jobs set ${change} where id = $1`, [id]),
  }
}

/** The Fault of a call that must be refused. */
export const refusalOf = (call: Promise<unknown>): Promise<{ code: string; reason: string; message: string }> =>
  call.then(
    () => Promise.reject(new Error('the call was not refused')),
    (error: { code: string; reason: string; message: string }) => error,
  )
