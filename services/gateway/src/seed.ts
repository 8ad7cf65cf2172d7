import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { contexts, kyselyOf, newId, openDatabase, sql, statement, type Em } from '@lettergate/database'
import { publishFrom } from '@lettergate/events'
import { createService } from '@lettergate/service'
import { entities } from './entities.ts'
import { Organization } from './identity/organization.entity.ts'
import { User } from './identity/user.entity.ts'
import { announceWorkspace, findWorkspace, workspaceIdsOf } from './identity/workspace.entity.ts'
import type { Role } from './domain/capabilities.ts'

interface SeededUser {
  id: string
  identityType: 'human' | 'agent'
  /** of a new user; a known one keeps what it has */
  platformRole: 'owner' | 'administrator' | null
}

interface SeededWorkspace {
  organization: string
  organizationName: string
  workspace: string
  name: string
  isArchived: boolean
  members: Readonly<Record<string, Role>>
}

/** Users by their id in the wallet, and workspaces with their members. */
export interface Seeds {
  users: readonly SeededUser[]
  workspaces: readonly SeededWorkspace[]
}

/** The users of a new local stack. The wallet has the same; see deploy/local/wallet. */
const users: readonly SeededUser[] = [
  { id: 'owner', identityType: 'human', platformRole: 'owner' },
  { id: 'admin', identityType: 'human', platformRole: null },
  { id: 'editor', identityType: 'human', platformRole: null },
  { id: 'analyst', identityType: 'human', platformRole: null },
  { id: 'agent', identityType: 'agent', platformRole: null },
  { id: 'wsowner', identityType: 'human', platformRole: null },
  { id: 'outsider', identityType: 'human', platformRole: null },
  { id: 'platform', identityType: 'human', platformRole: 'administrator' },
]

const workspaces: readonly SeededWorkspace[] = [
  {
    organization: 'acme',
    organizationName: 'Acme',
    workspace: 'newsletter',
    name: 'Acme Newsletter',
    isArchived: false,
    members: {
      owner: 'owner',
      admin: 'brand_admin',
      editor: 'editor',
      analyst: 'analyst',
      agent: 'editor',
      wsowner: 'owner',
    },
  },
  {
    organization: 'acme',
    organizationName: 'Acme',
    workspace: 'product',
    name: 'Acme Product',
    isArchived: false,
    members: { owner: 'owner' },
  },
  {
    organization: 'acme',
    organizationName: 'Acme',
    workspace: 'synthetic-lab',
    name: 'Acme Synthetic Lab',
    isArchived: true,
    members: { owner: 'owner' },
  },
  {
    organization: 'globex',
    organizationName: 'Globex',
    workspace: 'main',
    name: 'Globex',
    isArchived: false,
    members: { outsider: 'owner' },
  },
]

const insertWorkspace = statement('seed-workspace')
const insertMember = statement('seed-membership')

/** What is new in the database, for the audit log. */
interface Made {
  action: string
  subjectType: string
  subjectId: string
  workspaceId?: string
  detail: Record<string, string>
}

async function ensureUser(em: Em, { id, identityType, platformRole }: SeededUser): Promise<Made[]> {
  const { numInsertedOrUpdatedRows: added } = await kyselyOf(em, User)
    .insertInto('users')
    .values({
      id: newId(),
      wallet_user_id: id,
      username: id,
      identity_type: identityType,
      platform_role: platformRole,
    })
    .onConflict((conflict) => conflict.column('wallet_user_id').doNothing())
    .executeTakeFirst()
  if (!added || platformRole === null) return []
  return [{ action: 'platform_role_set', subjectType: 'user', subjectId: id, detail: { platform_role: platformRole } }]
}

async function ensureWorkspace(
  em: Em,
  { organization, organizationName, workspace, name, isArchived }: SeededWorkspace,
): Promise<{ id: string; made: Made[] }> {
  const { numInsertedOrUpdatedRows: organizations } = await kyselyOf(em, Organization)
    .insertInto('organizations')
    .values({ id: newId(), slug: organization, name: organizationName })
    .onConflict((conflict) => conflict.column('slug').doNothing())
    .executeTakeFirst()
  const workspaces = await insertWorkspace.execute(
    em,
    sql`insert into workspaces (id, organization_id, slug, name, is_archived)
        select ${newId()}::uuid, o.id, ${workspace}, ${name}, ${isArchived} from organizations o where o.slug = ${organization}
        on conflict (organization_id, slug) do nothing`,
  )
  const [id] = await workspaceIdsOf(em, organization, workspace)
  if (id === undefined) throw new Error(`the workspace ${organization}/${workspace} could not be seeded`)
  const made: Made[] = []
  if (organizations)
    made.push({
      action: 'organization_created',
      subjectType: 'organization',
      subjectId: organization,
      workspaceId: id,
      detail: { name: organizationName },
    })
  if (workspaces > 0)
    made.push({
      action: 'workspace_created',
      subjectType: 'workspace',
      subjectId: id,
      workspaceId: id,
      detail: { organization, workspace, name },
    })
  return { id, made }
}

async function ensureMembers(em: Em, id: string, members: SeededWorkspace['members']): Promise<Made[]> {
  const made: Made[] = []
  for (const [member, role] of Object.entries(members)) {
    const added = await insertMember.execute(
      em,
      sql`insert into memberships (workspace_id, user_id, role) select ${id}::uuid, u.id, ${role} from users u where u.wallet_user_id = ${member}
          on conflict do nothing`,
    )
    if (added > 0)
      made.push({
        action: 'operator_added',
        subjectType: 'operator',
        subjectId: member,
        workspaceId: id,
        detail: { role },
      })
  }
  return made
}

/**
 * Writes users and workspaces as the service's own role, those of a local stack unless others are given. What exists is not changed;
 * announces each workspace every time. With `auditedAs`, the name of a program, what is new is in the audit log.
 */
export async function seed(
  databaseUrl: string,
  seeds: Seeds = { users, workspaces },
  auditedAs?: string,
): Promise<void> {
  const service = createService('gateway', { role: 'seed', logLevel: 'error' })
  const db = await service.use(openDatabase(service, { url: databaseUrl, schema: 'identity', entities }))
  const system = contexts(db, service, {}).ofSystem(auditedAs ?? 'seed')
  const { actor, correlationId } = system.caller
  const record = async (em: Em, made: readonly Made[]) => {
    if (auditedAs === undefined) return
    const entries = made.map(({ workspaceId = null, ...entry }) => ({
      origin: { workspaceId, correlationId, trace: {} },
      init: { ...entry, actor },
    }))
    await publishFrom(em, AuditRecordedSchema, entries)
  }
  try {
    const ids = await system.tx(async (em) => {
      for (const user of seeds.users) await record(em, await ensureUser(em, user))
      const made: string[] = []
      for (const workspace of seeds.workspaces) {
        const ensured = await ensureWorkspace(em, workspace)
        await record(em, ensured.made)
        made.push(ensured.id)
      }
      return made
    })
    for (const [index, { members }] of seeds.workspaces.entries()) {
      const id = ids[index]!
      await system.inWorkspace(id).tx(async (em) => {
        await record(em, await ensureMembers(em, id, members))
        const workspace = await findWorkspace(em, id)
        if (workspace) await announceWorkspace(em, workspace)
      })
    }
  } finally {
    await service.stop()
  }
}
