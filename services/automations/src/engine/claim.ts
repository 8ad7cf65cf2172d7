import { arrayOf, column, lastRead, leftJoined, listOf, newId, sql, statement, type Em } from '@lettergate/database'
import { personColumns, type EnrolledContact } from './enrolled-contact.ts'

/** A set of contacts of one workspace that this worker has for the time of its lease. */
export interface ClaimedSet {
  readonly id: string
  readonly workspaceId: string
  readonly people: readonly EnrolledContact[]
}

const workspacesAtOnce = 50
const lostAtOnce = 20

const selectWork = statement('select-whether-enrollments-wait', { is_due: column.boolean(), is_lost: column.boolean() })

/**
 * Whether a contact is due, and whether the lease of a set has ended. One prepared statement, because an idle worker asks all
 * the time; it must be the last of its transaction. Reads one index entry for each workspace, whatever waits there.
 */
export async function lookForWork(em: Em, now: Date): Promise<{ isDue: boolean; isLost: boolean }> {
  const found = await selectWork.row(
    em,
    lastRead(sql`with recursive w as (
          (select workspace_id, due_at from due_enrollments order by workspace_id, due_at limit 1)
          union all
          select next.workspace_id, next.due_at from w, lateral
            (select workspace_id, due_at from due_enrollments where workspace_id > w.workspace_id order by workspace_id, due_at limit 1) next)
        select exists (select from w where due_at <= ${now.toISOString()}::timestamptz) as is_due,
               exists (select from enrollment_claims where lease_until < now()) as is_lost`),
  )
  return { isDue: found!.is_due, isLost: found!.is_lost }
}

const selectDueWorkspaces = statement('select-workspaces-with-due-enrollments', { workspace_id: column.uuid() })

/** Workspaces with due work after this one, in turn. Reads one index entry for each workspace, whatever waits there. */
export async function dueWorkspaces(em: Em, { after, now }: { after: string; now: Date }): Promise<string[]> {
  const from = async (start: string, end: string | null) => {
    const rows = await selectDueWorkspaces.rows(
      em,
      sql`with recursive w as (
            (select workspace_id, due_at from due_enrollments
              where workspace_id > ${start} and (${end}::uuid is null or workspace_id <= ${end}::uuid)
              order by workspace_id, due_at limit 1)
            union all
            select next.workspace_id, next.due_at from w, lateral
              (select workspace_id, due_at from due_enrollments
                where workspace_id > w.workspace_id and (${end}::uuid is null or workspace_id <= ${end}::uuid)
                order by workspace_id, due_at limit 1) next)
          select workspace_id from w where due_at <= ${now.toISOString()}::timestamptz limit ${workspacesAtOnce}`,
    )
    return rows.map((row) => row.workspace_id)
  }
  const later = await from(after, null)
  return later.length < workspacesAtOnce ? [...later, ...(await from(firstId, after))] : later
}

/** Before every workspace. */
export const firstId = '00000000-0000-0000-0000-000000000000'

const claimedColumns = leftJoined(personColumns)
const takeDue = statement('take-due-enrollments', claimedColumns)
const insertHeld = statement('insert-held-enrollments')
const insertClaim = statement('insert-enrollment-claim')
/** After so many, a set of 1,000 is one contact. */
const halvingsMax = 10

/**
 * Takes contacts who are due, in the order in which they became due. Those whose automation is not published are set aside. Undefined
 * if nobody is left to work on. Other workers skip the taken rows. Each failed attempt of the first contact halves the set, so that a
 * contact whose step stops workers is soon alone.
 */
export async function claimSet(
  em: Em,
  workspaceId: string,
  { now, most, holder, leaseSeconds }: { now: Date; most: number; holder: string; leaseSeconds: number },
): Promise<ClaimedSet | undefined> {
  const taken = await takeDue.rows(
    em,
    sql`with first as (
          select enrollment_id from due_enrollments
           where workspace_id = ${workspaceId} and due_at <= ${now.toISOString()}::timestamptz order by due_at, enrollment_id limit 1),
        due as (
          select ctid as tid from due_enrollments
           where workspace_id = ${workspaceId} and due_at <= ${now.toISOString()}::timestamptz
           order by due_at, enrollment_id for update skip locked
           limit greatest(1, ${most}::int >> least(${halvingsMax}::int, coalesce((
             select p.failed_attempts from first
               join enrollment_positions p on p.workspace_id = ${workspaceId} and p.enrollment_id = first.enrollment_id), 0)))),
        gone as (
          delete from due_enrollments where ctid = any(array(select tid from due)) returning due_at, enrollment_id)
        select ${listOf(claimedColumns, 'found')} from gone left join lateral (
          select p.enrollment_id, p.automation_id, p.contact_id, p.node_key, p.step_id, p.step_number, p.wait_until, p.arrived_at, p.waiting_reason, p.failed_attempts,
                 e.version_id, e.audience_id, e.synthetic_context_id, e.correlation_id, e.trace, a.status = 'published' as is_published
            from enrollment_positions p
            join enrollments e on e.workspace_id = p.workspace_id and e.id = p.enrollment_id
            join automations a on a.workspace_id = p.workspace_id and a.id = p.automation_id
           where p.workspace_id = ${workspaceId} and p.enrollment_id = gone.enrollment_id and p.due_at = gone.due_at and p.state <> 'paused'
          ) found on true
         order by gone.due_at`,
  )
  // A row without a position, or with one that is due at another time, is left over.
  const present = taken.filter((row): row is EnrolledContact => row.enrollment_id !== null)
  const held = present.filter((person) => !person.is_published)
  const people = present.filter((person) => person.is_published)
  if (held.length > 0)
    await insertHeld.execute(
      em,
      sql`insert into held_enrollments (workspace_id, automation_id, enrollment_id)
          select ${workspaceId}, automation_id, enrollment_id
            from unnest(${arrayOf(held.map((one) => one.automation_id))}::uuid[], ${arrayOf(held.map((one) => one.enrollment_id))}::uuid[])
              as t (automation_id, enrollment_id)
          on conflict do nothing`,
    )
  if (people.length === 0) return undefined
  const id = newId()
  await insertClaim.execute(
    em,
    sql`insert into enrollment_claims (workspace_id, id, enrollment_ids, holder, lease_until)
        values (${workspaceId}, ${id}, ${arrayOf(people.map((one) => one.enrollment_id))}::uuid[], ${holder},
                now() + ${leaseSeconds} * interval '1 second')`,
  )
  return { id, workspaceId, people }
}

const recoverLost = statement('recover-lost-enrollments')

/** Makes the contacts of ended leases due again, and counts it. Their steps have the same ids, so what was done is not done twice. */
export const recoverLostSets = (em: Em): Promise<number> =>
  recoverLost.execute(
    em,
    sql`with lost as (
          select workspace_id, id from enrollment_claims where lease_until < now()
           order by lease_until limit ${lostAtOnce} for update skip locked),
        gone as (
          delete from enrollment_claims c using lost where c.workspace_id = lost.workspace_id and c.id = lost.id
          returning c.workspace_id, c.enrollment_ids),
        counted as (
          update enrollment_positions p set failed_attempts = p.failed_attempts + 1
            from (select workspace_id, unnest(enrollment_ids) as enrollment_id from gone) g
           where p.workspace_id = g.workspace_id and p.enrollment_id = g.enrollment_id and p.state <> 'paused'
          returning p.workspace_id, p.due_at, p.enrollment_id)
        insert into due_enrollments (workspace_id, due_at, enrollment_id)
        select workspace_id, due_at, enrollment_id from counted on conflict do nothing`,
  )

const releaseHeld = statement('release-held-enrollments')

/**
 * Makes contacts due again whose automation is published again, about `most` of them: each workspace has the same share, and in it
 * each automation. Answers how many were set aside no longer.
 */
export const releaseHeldEnrollments = (em: Em, most: number): Promise<number> =>
  releaseHeld.execute(
    em,
    sql`with recursive automation as (
          (select workspace_id, automation_id from held_enrollments order by workspace_id, automation_id limit 1)
          union all
          select next.workspace_id, next.automation_id from automation, lateral
            (select h.workspace_id, h.automation_id from held_enrollments h
              where (h.workspace_id, h.automation_id) > (automation.workspace_id, automation.automation_id)
              order by h.workspace_id, h.automation_id limit 1) next),
        published as (
          select a.workspace_id, a.id, count(*) over (partition by a.workspace_id) as siblings
            from automation join automations a on a.workspace_id = automation.workspace_id and a.id = automation.automation_id
           where a.status = 'published'),
        released as (
          select h.* from (select *, (select count(distinct workspace_id) from published) as workspaces from published) p
            cross join lateral (
              select h.workspace_id, h.automation_id, h.enrollment_id from held_enrollments h
               where h.workspace_id = p.workspace_id and h.automation_id = p.id
               limit greatest(1, ${most}::int / (p.workspaces * p.siblings))) h),
        due as (
          insert into due_enrollments (workspace_id, due_at, enrollment_id)
          select p.workspace_id, p.due_at, p.enrollment_id from released r
            join enrollment_positions p on p.workspace_id = r.workspace_id and p.enrollment_id = r.enrollment_id
           where p.state <> 'paused' on conflict do nothing)
        delete from held_enrollments h using released r
         where h.workspace_id = r.workspace_id and h.automation_id = r.automation_id and h.enrollment_id = r.enrollment_id`,
  )
