import { enablable } from './offered-tools.ts'

/** What one server is for. */
export interface McpSettings {
  baseUrl: string
  token: string
  /** `organization/workspace` */
  workspace: string
  enabled: ReadonlySet<string>
}

const localHosts = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Reads the environment, and `--enable a,b` of the arguments. Throws with what to set. */
export function readConfig(argv: readonly string[], env: NodeJS.ProcessEnv = process.env): McpSettings {
  const token = env['LETTERGATE_TOKEN']
  const workspace = env['LETTERGATE_WORKSPACE']
  const baseUrl = env['LETTERGATE_URL'] ?? 'http://127.0.0.1:8080'
  if (!token) throw new Error('Set LETTERGATE_TOKEN to a wallet token of the agent.')
  if (!workspace) throw new Error('Set LETTERGATE_WORKSPACE to organization/workspace.')
  const url = URL.parse(baseUrl)
  if (!url || (url.protocol !== 'https:' && !(url.protocol === 'http:' && localHosts.has(url.hostname))))
    throw new Error('LETTERGATE_URL must be an https address; http is for this machine only.')
  return { baseUrl, token, workspace, enabled: enabledOf(argv) }
}

/** What `--help` prints. */
export const usage = (): string => `Usage: lettergate-mcp [--enable <list>]

Lettergate for agents: an MCP server over standard input and output. It only reads unless you enable more.

  --enable <list>  ${enablable().join(', ')}

Environment:
  LETTERGATE_TOKEN      a wallet token of the agent
  LETTERGATE_WORKSPACE  organization/workspace
  LETTERGATE_URL        the deployment; http://127.0.0.1:8080 unless set
`

function enabledOf(argv: readonly string[]): Set<string> {
  const enabled = new Set<string>()
  for (let at = 0; at < argv.length; at += 2) {
    if (argv[at] !== '--enable' || argv[at + 1] === undefined)
      throw new Error(`Unknown argument ${argv[at]}. Use --enable with a list of: ${enablable().join(', ')}`)
    for (const name of argv[at + 1]!.split(',')) {
      if (!enablable().includes(name))
        throw new Error(`Nothing is called ${name}. Use --enable with a list of: ${enablable().join(', ')}`)
      enabled.add(name)
    }
  }
  return enabled
}
