import { execFileSync } from 'node:child_process'
import { expect, test } from '@jest/globals'
import { read, root } from './tree.ts'

/** The commands that make would run after a change of the list of packages (dry run). */
const wouldDo = (target: string): string =>
  execFileSync('make', ['-n', '-W', 'package-lock.json', target], { cwd: root, encoding: 'utf8' })

test('targets that need the packages install them first when their list has changed', () => {
  expect(wouldDo('up')).toContain('npm ci')
})

test.each(['down', 'status', 'logs'])('make %s never exchanges the packages under a running stack', (target) => {
  expect(wouldDo(target)).not.toContain('npm ci')
})

test('there are at most 18 targets, and each has a description', () => {
  const targets = /^\.PHONY: (.*)$/m.exec(read('Makefile'))![1]!.split(' ')
  expect(targets.length).toBeLessThanOrEqual(18)
  for (const target of targets) expect(read('Makefile')).toMatch(new RegExp(`^${target}:.*## \\S`, 'm'))
})

test('CI runs the tests and the demo', () => {
  const script = read('.ci/run')
  expect(script).toMatch(/^make test /m)
  expect(script).toMatch(/^if make demo; then$/m)
})
