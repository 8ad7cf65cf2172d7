import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const root = new URL('../', import.meta.url).pathname

/** The names of the statements that the sources of libs and services declare, each as often as it is declared. */
export function declaredStatements(): string[] {
  const sources = ['libs', 'services'].flatMap((folder) =>
    readdirSync(join(root, folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .flatMap(({ name }) => typescriptBelow(join(root, folder, name, 'src'))),
  )
  return sources.flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/\bstatement\(\s*'([^']+)'/g)].map(([, name]) => name!),
  )
}

function typescriptBelow(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
      .map((path) => join(folder, path))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** The declared statements that no process of the run has noted in this directory. */
export function statementsNeverExecuted(directory: string): string[] {
  const executed = new Set(
    readdirSync(directory).flatMap((file) => readFileSync(join(directory, file), 'utf8').split('\n')),
  )
  return declaredStatements().filter((name) => !executed.has(name))
}
