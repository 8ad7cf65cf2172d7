import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OwnStack } from './own-stack.ts'

/**
 * The content of the streams of a stack as text, one for each file of the server's store: headers and payloads unchanged,
 * and the events of batches in base64. No user of the broker may read every stream, so this reads the store.
 */
export function streamTexts(own: OwnStack): string[] {
  const store = join(own.directory, 'nats')
  const blocks = readdirSync(store, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.blk'))
  return blocks.map((path) => {
    const data = readFileSync(join(store, path)).toString('latin1')
    const inside = [...data.matchAll(/"data_base64":"([^"]*)"/g)].map(([, text]) => Buffer.from(text!, 'base64'))
    return [data, ...inside.map((bytes) => bytes.toString('latin1'))].join('\n')
  })
}
