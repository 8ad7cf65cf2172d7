// Creates a workspace, with its organization and its owner where they are new; the audit log has what is new, by
// system:create-workspace. Safe to repeat. In the environment of the gateway:
// create-workspace.ts --organization acme --organization-name Acme --workspace news --workspace-name News --owner <wallet user id>
import { parseArgs } from 'node:util'
import { Fault } from '@lettergate/fault'
import { loadDatabaseUrl } from './config.ts'
import { firstWorkspace } from './identity/first-workspace.ts'
import { seed } from './seed.ts'

const text = { type: 'string', default: '' } as const
const options = { organization: text, 'organization-name': text, workspace: text, 'workspace-name': text, owner: text }

try {
  const { values } = parseArgs({ options })
  await seed(loadDatabaseUrl(), firstWorkspace(values), 'create-workspace')
  process.stdout.write(`${values.organization}/${values.workspace} exists, with the owner ${values.owner}\n`)
} catch (error) {
  process.stderr.write(`${error instanceof Fault ? error.message : String(error)}\n`)
  process.exitCode = 1
}
