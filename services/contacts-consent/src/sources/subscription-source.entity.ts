import { defineEntity, p } from '@mikro-orm/core'
import {
  column,
  columns,
  nullable,
  prepared,
  sql,
  statement,
  unplanned,
  type Em,
  type RowOf,
} from '@lettergate/database'
import type { Presented, SourceStatus } from './source-admission.ts'
import { isUuid } from '@lettergate/values/uuid'
import { mapLimitViolation } from '../workspaces/limit-violation.ts'

/** An external source of sign-ups, with its allowed audiences and page origins. */
export const SubscriptionSource = defineEntity({
  name: 'SubscriptionSource',
  tableName: 'subscription_sources',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    slug: p.text(),
    displayName: p.text(),
    status: p.text().$type<SourceStatus>(),
    allowsAllAudiences: p.boolean(),
    allowedAudienceIds: p.array<string>().columnType('uuid[]'),
    allowedOrigins: p.array(),
    /** of the email that asks to confirm a sign-up; null without confirmed opt-in */
    confirmationSenderIdentityId: p.uuid().nullable(),
    confirmationContentVersionId: p.uuid().nullable(),
    createdBy: p.text(),
    createdAt: p.datetime().defaultRaw('now()'),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
})

// Lists as JSON: the driver parses arrays character by character, up to fourteen million for all sources of a workspace.
/** The email that asks to confirm a sign-up. */
export interface ConfirmationEmail {
  senderIdentityId: string
  contentVersionId: string
}

const shownColumns = {
  ...columns(SubscriptionSource, 'id', 'slug', 'display_name', 'status', 'allows_all_audiences'),
  allowed_audience_ids: column.json<string[]>(),
  allowed_origins: column.json<string[]>(),
  /** null without confirmed opt-in */
  confirmation: nullable(column.json<ConfirmationEmail>()),
}

/** The columns of a source in every answer. */
export type SourceRow = RowOf<typeof shownColumns>

const selectSources = statement('select-subscription-sources', shownColumns)
const selectSource = statement('select-subscription-source', shownColumns)
const holdSource = statement('hold-subscription-source', shownColumns)
const sourceList = sql`s.id, s.slug, s.display_name, s.status, s.allows_all_audiences,
  to_json(s.allowed_audience_ids) as allowed_audience_ids, to_json(s.allowed_origins) as allowed_origins,
  case when s.confirmation_sender_identity_id is not null then json_build_object('senderIdentityId', s.confirmation_sender_identity_id,
    'contentVersionId', s.confirmation_content_version_id) end as confirmation`

/** The source message of the contract. */
export const sourceMessage = (source: SourceRow) => ({
  id: source.id,
  slug: source.slug,
  displayName: source.display_name,
  status: source.status,
  allowsAllAudiences: source.allows_all_audiences,
  allowedAudienceIds: source.allowed_audience_ids,
  allowedOrigins: source.allowed_origins,
})

const insertOne = statement('insert-subscription-source')

/** Answers whether the slug was free. Fault `failed_precondition` for one source too many. */
export const insertSource = async (
  em: Em,
  workspaceId: string,
  source: SourceRow,
  createdBy: string,
): Promise<boolean> =>
  (await insertOne
    .execute(
      em,
      sql`insert into subscription_sources (workspace_id, id, slug, display_name, allows_all_audiences, allowed_audience_ids,
               allowed_origins, created_by)
        values (${workspaceId}, ${source.id}, ${source.slug}, ${source.display_name}, ${source.allows_all_audiences},
                ${source.allowed_audience_ids}::uuid[], ${source.allowed_origins}::text[], ${createdBy})
        on conflict on constraint subscription_sources_slug do nothing`,
    )
    .catch(mapLimitViolation('subscription_sources'))) === 1

export const listSources = (em: Em, workspaceId: string): Promise<SourceRow[]> =>
  selectSources.rows(
    em,
    sql`select ${sourceList} from subscription_sources s where workspace_id = ${workspaceId} order by slug`,
  )

export const findSource = (em: Em, workspaceId: string, slug: string): Promise<SourceRow | undefined> =>
  selectSource.row(
    em,
    sql`select ${sourceList} from subscription_sources s where workspace_id = ${workspaceId} and slug = ${slug}`,
  )

/** The same, locked until the transaction ends, so that changes of one source run one after another. */
export const lockSource = (em: Em, workspaceId: string, slug: string): Promise<SourceRow | undefined> =>
  holdSource.row(
    em,
    sql`select ${sourceList} from subscription_sources s
         where workspace_id = ${workspaceId} and slug = ${slug} for no key update`,
  )

const updateOrigins = statement('update-source-origins')
const updateStatus = statement('update-source-status')

export const setOrigins = (em: Em, workspaceId: string, id: string, origins: readonly string[]): Promise<number> =>
  updateOrigins.execute(
    em,
    sql`update subscription_sources set allowed_origins = ${[...origins]}::text[], updated_at = now()
         where workspace_id = ${workspaceId} and id = ${id}`,
  )

export const setStatus = (em: Em, workspaceId: string, id: string, status: SourceStatus): Promise<number> =>
  updateStatus.execute(
    em,
    sql`update subscription_sources set status = ${status}, updated_at = now()
         where workspace_id = ${workspaceId} and id = ${id}`,
  )

const updateConfirmation = statement('update-source-confirmation')

/** Turns confirmed opt-in on with this email, or off. Sign-ups that wait for their confirmation go on waiting. */
export const setConfirmation = (
  em: Em,
  workspaceId: string,
  id: string,
  email: ConfirmationEmail | null,
): Promise<number> =>
  updateConfirmation.execute(
    em,
    sql`update subscription_sources set confirmation_sender_identity_id = ${email?.senderIdentityId ?? null}::uuid,
               confirmation_content_version_id = ${email?.contentVersionId ?? null}::uuid, updated_at = now()
         where workspace_id = ${workspaceId} and id = ${id}`,
  )

const presentedColumns = {
  ...shownColumns,
  workspaceId: column.uuid(),
  /** null when it was found by a grant */
  credential_sha256: nullable(column.text()),
}
const selectPresented = statement('select-presented-sources', presentedColumns)
export type PresentedSourceRow = RowOf<typeof presentedColumns>

/**
 * The sources of these credentials and grants. With a workspace, only its own sources; without one (a system context), all
 * sources, because a credential of another workspace has another answer than an unknown one.
 */
export const findPresented = (
  em: Em,
  workspaceId: string | null,
  presented: readonly Presented[],
): Promise<PresentedSourceRow[]> => {
  const hashes = presented.flatMap((one) => one.credentialSha256 ?? [])
  const granted = presented.flatMap((one) =>
    one.grantedSourceId !== null && isUuid(one.grantedSourceId) ? one.grantedSourceId : [],
  )
  const here = workspaceId === null ? sql`true` : sql`s.workspace_id = ${workspaceId}`
  return selectPresented.rows(
    em,
    prepared(sql`select s.workspace_id as "workspaceId", ${sourceList}, c.credential_sha256
          from source_credentials c
          join subscription_sources s on s.workspace_id = c.workspace_id and s.id = c.source_id
         where c.credential_sha256 = any(${unplanned([...new Set(hashes)], 'text[]')}) and c.revoked_at is null and ${here}
        union all
        select s.workspace_id, ${sourceList}, null
          from subscription_sources s where s.id = any(${unplanned([...new Set(granted)], 'uuid[]')}) and ${here}`),
  )
}

/** The found source of this credential or grant. */
export const presentedIn = (
  found: readonly PresentedSourceRow[],
  { credentialSha256, grantedSourceId }: Presented,
): PresentedSourceRow | undefined =>
  found.find((source) =>
    credentialSha256 === null
      ? source.credential_sha256 === null && source.id === grantedSourceId
      : source.credential_sha256 === credentialSha256,
  )
