import { expect, test } from '@jest/globals'
import { read, sourcesOf } from './tree.ts'

/**
 * Where the services write the reasons of messages and of steps. The API has no closed list of them, because an older database
 * has others, and a refusal of another service is one too.
 */
const writers: [folder: string, pattern: RegExp][] = [
  ['campaigns-delivery/src/provider', /\breason: '(\w+)'/g],
  ['campaigns-delivery/src/delivery', /\breasons: [^\n[\]]*\['(\w+)'\]/g],
  ['campaigns-delivery/src/delivery', /\b(?:putBackUncalled|markUnknown)\([^\n]*, '(\w+)'\)/g],
  ['campaigns-delivery/src/delivery', /\breturn '(too_\w+)'/g],
  ['campaigns-delivery/src/delivery', /\? undefined : '(gates_\w+)'/g],
  ['campaigns-delivery/src/delivery', /\?\? '(run_\w+)'/g],
  ['campaigns-delivery/src/delivery', /\[reason, '(run_\w+)'\]/g],
  ['campaigns-delivery/src/delivery', /(?<=type Postponed = .*)'(\w+)'/g],
  ['campaigns-delivery/src/automation-emails', /\breason: '(\w+)'/g],
  ['campaigns-delivery/src/automation-emails', /\breasons: [^\n[\]]*\['(\w+)'\]/g],
  ['campaigns-delivery/src/automation-emails', /\b(?:waiting|failAll)\((?:ctx, set, )?'(\w+)'\)/g],
  ['campaigns-delivery/src/automation-emails', /\?\? '(\w+)'\]/g],
  ['campaigns-delivery/src/automation-emails', /Gate = '(\w+)'/g],
  ['campaigns-delivery/src/gates', /\b(?:by|reason): '(\w+)'/g],
  ['campaigns-delivery/src/gates', /\bproductionGate = '(\w+)'/g],
  ['contacts-consent/src/automations', /\brefused\(contact, '(\w+)'\)/g],
  ['automations/src', /\breasons?: \[?'(\w+)'/g],
  ['automations/src/enrollments', /\b(?:underWay|deliveryUnavailable) = '(\w+)'/g],
  ['automations/src/engine', /\bpostponed\([^\n]*'(\w+)', error\)/g],
  ['automations/src/engine', /\breasons\[0\] \?\? '(\w+)'/g],
]

const found = writers.map(([folder, pattern]) => {
  const [service = '', ...path] = folder.split('/')
  const texts = sourcesOf(`services/${service}`)
    .filter((file) => file.startsWith(`services/${service}/${path.join('/')}/`))
    .map(read)
  return texts.flatMap((text) => Array.from(text.matchAll(pattern), ([, reason]) => reason!))
})

/** `virtual_clock` says how an enrollment began; the console has a sentence of its own for it. */
const reasons = new Set(found.flat().filter((reason) => reason !== 'virtual_clock'))

test('the console explains every reason that the services write about a message or a step', () => {
  expect(writers.filter((_, index) => found[index]!.length === 0)).toEqual([])
  const table = read('services/console/src/parts/explanations.ts')
  const explained = new Set(Array.from(table.matchAll(/^ {2}(\w+): \{/gm), ([, name]) => name))
  expect([...reasons, 'run_cancelled', 'run_unscheduled'].filter((reason) => !explained.has(reason))).toEqual([])
  expect(reasons.size).toBeGreaterThan(40)
})
