import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, expect, test } from '@jest/globals'
import { buildConsole } from './build-console.ts'

interface BuiltFile {
  file: string
  css?: string[]
  imports?: string[]
}

const root = new URL('../..', import.meta.url).pathname
/** 250 kB is the limit of the first page; its answers of the API take up to 10 kB. */
const filesMaxKb = 240

let dist: string
beforeAll(async () => {
  dist = await buildConsole()
})

/** The scripts and styles that a browser loads for some sources. */
function filesOf(sources: string[]): Set<string> {
  const manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8')) as Record<string, BuiltFile>
  const files = new Set<string>()
  const add = (source: string) => {
    const { file, css = [], imports = [] } = manifest[source]!
    if (files.has(file)) return
    for (const one of [file, ...css]) files.add(one)
    imports.forEach(add)
  }
  sources.forEach(add)
  return files
}

test(`the home page loads at most ${filesMaxKb} kB of scripts and styles`, () => {
  const sizes = [...filesOf(['index.html', 'src/pages/home/home.tsx'])].map(
    (file) => gzipSync(readFileSync(join(dist, file)), { level: 6 }).length,
  )

  expect(sizes.length).toBeGreaterThan(10)
  expect(sizes.reduce((sum, size) => sum + size, 0) / 1_000).toBeLessThan(filesMaxKb)
})

test('each Mantine component that the console draws has its styles', () => {
  const text = (ending: string) =>
    readdirSync(join(dist, 'assets'))
      .filter((file) => file.endsWith(ending))
      .map((file) => readFileSync(join(dist, 'assets', file), 'utf8'))
      .join('\n')
  const named = new Set(text('.js').match(/\bm_[0-9a-f]+\b/g))
  const styles = text('.css')
  const folder = join(root, 'node_modules/@mantine/core/styles')
  const missing = readdirSync(folder)
    .filter((file) => !file.endsWith('.layer.css'))
    .filter((file) => {
      const classes = readFileSync(join(folder, file), 'utf8').match(/\bm_[0-9a-f]+\b/g) ?? []
      return classes.some((name) => named.has(name) && !styles.includes(name))
    })

  expect(named.size).toBeGreaterThan(100)
  expect(missing).toEqual([])
})
