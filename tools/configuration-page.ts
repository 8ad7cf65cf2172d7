// The page docs/configuration.md, made from the config.ts files: node tools/print-configuration.ts > docs/configuration.md
import { readFileSync, readdirSync, existsSync } from 'node:fs'
import { variables as migrationVariables } from '@lettergate/database/config'
import { variables as singleVariables } from '@lettergate/single/config'
import { commonVariables, type Variables } from '@lettergate/service/config'

const services = new URL('../services/', import.meta.url)
const singleFile = new URL('../deploy/single/src/config.ts', import.meta.url)
const migrationFile = new URL('../libs/database/src/config.ts', import.meta.url)
const commonFile = new URL('../libs/service/src/config.ts', import.meta.url)

/** What the comment before the declaration of each variable says. */
function commentsOf(file: URL): Map<string, string> {
  const declared = /(?:\/\*\* (.+) \*\/\n\s*)?\w+: \w+\('([A-Z][A-Z0-9_]*)'/g
  return new Map([...readFileSync(file, 'utf8').matchAll(declared)].map(([, comment = '', name]) => [name!, comment]))
}

function defaultOf({ fallback, secret }: Variables[string]): string {
  if (fallback === undefined) return 'required'
  if (fallback === '') return 'empty'
  return secret ? 'set' : `\`${fallback}\``
}

function table(variables: Variables, comments: Map<string, string>): string {
  const rows = Object.values(variables)
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map((variable) => {
      const about = [comments.get(variable.name) ?? '', variable.secret ? 'Secret.' : ''].filter(Boolean).join(' ')
      return `| \`${variable.name}\` | ${defaultOf(variable)} | ${about.replaceAll('|', '\\|')} |`
    })
  return ['| variable | default | meaning |', '| --- | --- | --- |', ...rows].join('\n')
}

/** The whole page. A variable that every service has is told once, unless a service declares it differently. */
export async function configurationPage(): Promise<string> {
  const common = new Set<unknown>(Object.values(commonVariables))
  const sections: string[] = []
  for (const name of readdirSync(services).toSorted()) {
    const file = new URL(`${name}/src/config.ts`, services)
    if (!existsSync(file)) continue
    const { variables } = (await import(file.href)) as { variables: Variables }
    const own = Object.fromEntries(Object.entries(variables).filter(([, variable]) => !common.has(variable)))
    const comments = new Map([...commentsOf(commonFile), ...commentsOf(file)])
    sections.push(`## ${name}\n\n${table(own, comments)}`)
  }
  return `# Configuration

Made by \`node tools/print-configuration.ts > docs/configuration.md\` from the \`config.ts\` of each service; a test checks that it is current.

Every service reads its settings from environment variables, once, when it starts. It lists every missing or wrong one and exits. The ceilings of sending are closed unless they are set. The variables of \`make up\` and \`make demo\` are in [README.md](../README.md) and [deploy/local](../deploy/local/README.md).

## Every service

${table(commonVariables, commentsOf(commonFile))}

## Migrations

For the migration of a release, which runs before its services and with a role of its own ([database-roles.md](database-roles.md)).

${table(migrationVariables, commentsOf(migrationFile))}

## Several services in one process

For \`deploy/single\`, which runs the services that \`TARGET\` names ([small-installations.md](small-installations.md)). \`GATEWAY__DATABASE_URL\` is the \`DATABASE_URL\` of the gateway only.

${table(singleVariables, commentsOf(singleFile))}

${sections.join('\n\n')}
`
}
