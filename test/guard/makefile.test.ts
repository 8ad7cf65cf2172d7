import { execFileSync } from 'node:child_process'
import { expect, test } from '@jest/globals'
import { read, root } from './tree.ts'

/** What make would do if the list of packages had just changed; nothing is done. */
const wouldDo = (target: string): string =>
  execFileSync('make', ['-n', '-W', 'package-lock.json', target], { cwd: root, encoding: 'utf8' })

test('what needs the packages brings them in first when their list has changed', () => {
  expect(wouldDo('up')).toContain('npm ci')
})

test.each(['down', 'status', 'logs'])('make %s never exchanges the packages under a running stack', (target) => {
  expect(wouldDo(target)).not.toContain('npm ci')
})

test('there are at most 15 targets, and each says what it is for', () => {
  const targets = /^\.PHONY: (.*)$/m.exec(read('Makefile'))![1]!.split(' ')
  expect(targets.length).toBeLessThanOrEqual(15)
  for (const target of targets) expect(read('Makefile')).toMatch(new RegExp(`^${target}:.*## \\S`, 'm'))
})

test('what CI runs is the tests and the demo', () => {
  const script = read('.ci/run')
  expect(script).toMatch(/^make test /m)
  expect(script).toMatch(/^if make demo; then$/m)
})
