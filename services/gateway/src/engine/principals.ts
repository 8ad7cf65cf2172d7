import { execute, newId, row, sql, type Database } from '@lettergate/database'
import { faultOf } from '@lettergate/database/errors'
import { isSlug } from '@lettergate/values/slug'
import { coalesced } from './coalesce.ts'
import type { WalletToken } from './wallet.ts'

/** Who a caller is here, and what they are in the workspace they asked for. */
export interface Principal {
  userId: string
  identityType: 'human' | 'agent'
  platformRole: string | null
  workspace: { id: string; isArchived: boolean; role: string } | null
}

export interface Slugs {
  organization: string
  workspace: string
}

interface PrincipalRow {
  user_id: string
  username: string | null
  identity_type: 'human' | 'agent'
  platform_role: string | null
  workspace_id: string | null
  is_archived: boolean | null
  role: string | null
}

export interface Principals {
  /** One indexed question. null: nobody of that id is known here. */
  find(walletUserId: string, slugs: Slugs | null): Promise<Principal | null>
  /** The same for somebody whom the wallet has just vouched for: they are recorded when new, and are what it says they are. */
  recognise(token: WalletToken, slugs: Slugs | null): Promise<Principal>
}

export function principalsIn(db: Database): Principals {
  const shared = coalesced<PrincipalRow | undefined>()
  const ask = (walletUserId: string, slugs: Slugs | null) => {
    // what is no slug names no workspace, and need not be asked for
    const { organization, workspace } =
      slugs && isSlug(slugs.organization) && isSlug(slugs.workspace) ? slugs : { organization: null, workspace: null }
    return shared(JSON.stringify([walletUserId, organization, workspace]), () =>
      row<PrincipalRow>(db.fork(), sql`select * from principal_of(${walletUserId}, ${organization}, ${workspace})`),
    )
  }
  const shaped = (found: PrincipalRow): Principal => ({
    userId: found.user_id,
    identityType: found.identity_type,
    platformRole: found.platform_role,
    workspace:
      found.workspace_id === null
        ? null
        : { id: found.workspace_id, isArchived: found.is_archived === true, role: found.role ?? '' },
  })
  return {
    async find(walletUserId, slugs) {
      try {
        const found = await ask(walletUserId, slugs)
        return found ? shaped(found) : null
      } catch (error) {
        throw faultOf(error)
      }
    },
    async recognise({ walletUserId, username, identityType }, slugs) {
      try {
        const known = await ask(walletUserId, slugs)
        const isNews = username !== null && known?.username !== username
        if (known && !isNews && known.identity_type === identityType) return shaped(known)
        await execute(
          db.fork(),
          sql`insert into users (id, wallet_user_id, username, identity_type) values (${newId()}::uuid, ${walletUserId}, ${username}, ${identityType})
              on conflict (wallet_user_id) do update set username = coalesce(excluded.username, users.username), identity_type = excluded.identity_type`,
        )
        return shaped((await ask(walletUserId, slugs))!)
      } catch (error) {
        throw faultOf(error)
      }
    },
  }
}
