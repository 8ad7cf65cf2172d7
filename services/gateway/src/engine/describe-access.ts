import { isCapability, matrix, serviceCapability } from '../domain/capabilities.ts'

/** The fields of an operation that decide which callers it accepts. */
interface Access {
  'x-capability': string
  'x-ownership'?: keyof typeof owners
  'x-safety-class': keyof typeof effects
  'x-credential': 'operator' | 'source' | 'public'
  'x-permission'?: string
}

const owners = {
  platform_or_workspace_owner: 'an owner of the workspace or of the platform',
  platform_and_workspace_owner: 'somebody who owns both the workspace and the platform',
  workspace_owner: 'an owner of the workspace',
  platform_owner_or_administrator: 'an owner or administrator of the platform',
}

const effects = {
  'database-only': 'reads or changes the database and contacts nobody outside',
  'external checks': 'asks the mail provider or DNS, and mails nobody',
  'test delivery': 'may send one email, to a recipient of the allowlist',
  'production path': 'is part of sending to real recipients, and is refused unless every gate is open',
}

function callers({ 'x-credential': credential, ...operation }: Access): string {
  const capability = operation['x-capability']
  if (credential === 'public') return 'everybody, without a credential'
  if (credential === 'source')
    return `a subscription source; a grant needs the permission \`${operation['x-permission']}\``
  const ownership = operation['x-ownership'] && owners[operation['x-ownership']]
  if (!isCapability(capability)) return ownership ?? 'everybody with a valid credential'
  const service = capability === serviceCapability ? '; a service key also reaches it' : ''
  const also = ownership === undefined ? '' : `, who must also be ${ownership}`
  return `callers with the capability \`${capability}\` (roles ${matrix[capability].join(', ')})${also}${service}`
}

/** Describes in words the accepted callers and the safety class of an operation, from the fields that the engine checks. */
export const describeAccess = (operation: Access): string =>
  `**Who may call it:** ${callers(operation)}. **Safety class \`${operation['x-safety-class']}\`:** ${effects[operation['x-safety-class']]}.`
