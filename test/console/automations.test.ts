// This file has over 300 lines because its tests share one started set of services.
import { afterAll, beforeAll, describe, expect } from '@jest/globals'
import { until } from '@lettergate/stage'
import axe from 'axe-core'
import type { Locator, Page } from 'playwright-core'
import { hasChromium, inBrowser } from './browser.ts'
import { act, choose, openConsoleStage, type ConsoleStage } from './console-stage.ts'
import { addRehearsedAutomation } from './rehearsals.ts'
import {
  addAutomation,
  addVersions,
  setGate,
  openSending,
  openSettings,
  openWorld,
  workspace,
  type ConsoleWorld,
} from './world.ts'

let stage: ConsoleStage
let world: ConsoleWorld
let automationId: string
beforeAll(async () => {
  if (!hasChromium) return
  stage = await openConsoleStage(openSettings)
  await stage.services.startWorker('automations')
  world = await openWorld(stage.services)
  await setGate(stage.services, 'automation_enabled', true)
  automationId = await addAutomation(world, await openSending(stage.services, world.owner))
})
afterAll(async () => {
  await stage?.close()
})

/** Waits until each step of the graph is inside its frame. */
async function stepsAreInFrame(page: Page): Promise<void> {
  const isInside = `(() => {
    const frame = document.querySelector('.graph').getBoundingClientRect()
    return [...document.querySelectorAll('.step')].every((step) => {
      const { top, bottom, left, right } = step.getBoundingClientRect()
      return top >= frame.top && bottom <= frame.bottom && left >= frame.left && right <= frame.right
    })
  })()`
  await until(() => page.evaluate<boolean>(isInside))
}

describe('the pages of automations', () => {
  inBrowser('review and publish an automation, show who is at which step, and pause it', async () => {
    const page = await stage.signedIn('editor')
    await page.getByRole('link', { name: 'Automations' }).click()
    await page.getByRole('link', { name: 'Welcome' }).click()
    await page.getByText('When somebody joins Product news').waitFor()
    await page.getByRole('button', { name: 'Mark as reviewed' }).click()
    await act(page, 'Mark as reviewed')
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByText('A trigger that fired before enrolls nobody').waitFor()
    await act(page, 'Publish it')
    await page.getByText('Published', { exact: true }).waitFor()

    await world.owner.ok('POST', `${workspace}/audiences/${world.otherAudienceId}/subscribe`, {
      contact_id: world.contacts['Ada'],
      source: 'form',
      wording_version: 'footer-2026-01',
    })
    const waiting = page.locator('.step').filter({ hasText: 'Wait 1 day' })
    await waiting.getByText('1 waiting').waitFor()
    await page.getByText('List', { exact: true }).click()
    await page
      .getByRole('row', { name: /^pause Wait 1 day/ })
      .getByText('1 waiting')
      .waitFor()
    const person = await stage.signedIn('analyst', {
      at: `/w/acme/newsletter/contacts/${world.contacts['Ada']}`,
      viewport: { width: 375, height: 800 },
    })
    const enrollment = person
      .getByRole('table', { name: 'Enrollments of the contact' })
      .getByRole('row', { name: /Welcome.*Waiting.*pause.* until / })
    const emails = person.getByRole('table', { name: 'Emails to the contact' })
    await emails.getByRole('row').getByRole('link', { name: 'Welcome', exact: true }).waitFor()
    await person
      .getByRole('article', { name: 'Product news' })
      .getByText(/^The next email is possible from /)
      .waitFor()
    await enrollment.getByRole('link', { name: 'See each step' }).click()
    await person.getByRole('heading', { level: 1, name: 'Enrollment' }).waitFor()

    await page.getByRole('button', { name: 'Pause' }).click()
    await act(page, 'Pause it')
    await page.getByText('Paused', { exact: true }).first().waitFor()
  })

  inBrowser('edit the graph by forms, show what is wrong at which step, and save a draft', async () => {
    const page = await stage.signedIn('editor', { at: `/w/acme/newsletter/automations/${automationId}` })
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByText('Nothing is changed yet').waitFor()
    const step = page.getByRole('region', { name: 'This step' })
    await page.locator('.step').first().waitFor()
    // A click chooses a step; by the keyboard it is chosen in the list of the form.
    expect(
      await page
        .locator('.graph')
        .locator('.react-flow__node, .react-flow__edge')
        .and(page.locator('[tabindex], [aria-describedby]'))
        .count(),
    ).toBe(0)

    await page.locator('.step').filter({ hasText: 'Wait 1 day' }).click()
    await step.getByLabel('How long').fill('3')
    await page.locator('.step').filter({ hasText: 'Wait 3 days' }).waitFor()
    await step.getByRole('button', { name: 'Insert a step here' }).click()
    await page.getByRole('menuitem', { name: 'Add a tag' }).click()

    await choose(page, 'Step', /is-keen/)
    await step.getByRole('button', { name: 'Add a branch' }).click()
    // No name makes it the default branch, which has no inputs.
    const named = step.getByLabel('Name of the branch').last()
    await named.fill('default')
    expect(await named.inputValue()).toBe('default')
    await named.fill('from london')
    const london = step.getByRole('group', { name: 'Branch from london' })
    await london.getByRole('combobox', { name: 'Which' }).click()
    await page.getByRole('option', { name: 'london' }).click()
    await london.getByRole('combobox', { name: 'The condition asks for' }).click()
    await page.getByRole('option', { name: 'Any of several things' }).click()
    await london.getByRole('button', { name: 'Add a part' }).click()
    const second = london.getByRole('group', { name: 'Part 2' })
    await second.getByRole('combobox', { name: 'If' }).click()
    await page.getByRole('option', { name: 'Score' }).click()
    await second.getByRole('combobox', { name: 'Is', exact: true }).click()
    await page.getByRole('option', { name: 'Greater than' }).click()
    await second.getByLabel('Value').fill('10')
    await page.getByLabel('What did you change?').fill('Waits longer')

    await page.getByRole('button', { name: 'Save the version' }).click()
    await act(page, 'Save it')
    const faulty = page.locator('.step[data-faulty="problem"]')
    await faulty.getByText('1 problem').waitFor()
    await faulty.click()
    await step.getByText('tag is required').waitFor()
    await choose(page, 'Tag', 'london')
    await faulty.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Save the version' }).click()
    await act(page, 'Save it')

    await page.getByRole('heading', { level: 1, name: 'Welcome' }).waitFor()
    await page.locator('.step').filter({ hasText: 'Add the tag london' }).waitFor()
    const changes = page.getByRole('region', { name: 'Changes in version 2' })
    await changes.getByRole('row', { name: 'Changed pause Wait 1 day Wait 3 days' }).waitFor()
    await changes.getByRole('row', { name: 'Added add-tag – Add the tag london' }).waitFor()
    const { automation } = await world.owner.ok<{ automation: { status: string; selected_version: unknown } }>(
      'GET',
      `${workspace}/automations/${automationId}`,
    )
    expect(automation).toMatchObject({
      status: 'draft',
      selected_version: { version: 2, change_notes: 'Waits longer' },
    })
    expect(automation.selected_version).toMatchObject({
      definition: {
        nodes: expect.arrayContaining([
          { key: 'pause', type: 'wait_duration', config: { seconds: 259_200 } },
          { key: 'add-tag', type: 'add_tag', config: { tag: 'london' } },
        ]),
        edges: expect.arrayContaining([
          { from: 'pause', to: 'add-tag', branch: 'default' },
          { from: 'add-tag', to: 'is-keen', branch: 'default' },
          {
            from: 'is-keen',
            to: 'end',
            branch: 'from london',
            condition: {
              any: [
                { tag: 'london', operator: 'exists' },
                { score: true, operator: 'greater_than', value: 10 },
              ],
            },
          },
          { from: 'is-keen', to: 'lesson', branch: 'keen', condition: { tag: 'vip', operator: 'exists' } },
        ]),
      },
    })
  })

  inBrowser('keep the graph in the window beside a form that is longer than it', async () => {
    const page = await stage.signedIn('editor', {
      at: `/w/acme/newsletter/automations/${automationId}/edit`,
      viewport: { width: 1280, height: 640 },
    })
    const graph = page.locator('.graph')
    await graph.locator('.step').first().waitFor()
    await choose(page, 'Step', /is-keen/)
    await page.getByRole('group', { name: 'Branch from london' }).waitFor()
    await page.evaluate(
      `document.querySelector('section[aria-label="It begins when"]').scrollIntoView({ block: 'end' })`,
    )
    expect(await page.evaluate<number>('scrollY')).toBeGreaterThan(300)
    const box = (await graph.boundingBox())!
    expect(box.y).toBeGreaterThanOrEqual(56)
    expect(box.y + box.height).toBeLessThanOrEqual(640)
    const chosen = (await graph.locator('.step[data-chosen="true"]').boundingBox())!
    expect(chosen.y).toBeGreaterThanOrEqual(box.y)
    expect(chosen.y + chosen.height).toBeLessThanOrEqual(box.y + box.height)
  })

  inBrowser('keep every step inside of the graph on a telephone', async () => {
    const page = await stage.signedIn('editor', {
      at: `/w/acme/newsletter/automations/${automationId}/edit`,
      viewport: { width: 375, height: 800 },
    })
    await page.locator('.step[data-chosen="true"]').waitFor()
    const graph = (await page.locator('.graph').boundingBox())!
    const steps = () => page.locator('.graph .step').all()
    await until(async () => {
      const boxes = await Promise.all((await steps()).map((step) => step.boundingBox()))
      return boxes.every((box) => box && box.x >= graph.x && box.x + box.width <= graph.x + graph.width)
    })
  })

  inBrowser('create an automation, add its first step, archive it and restore it', async () => {
    const page = await stage.signedIn('editor')
    await page.getByRole('link', { name: 'Automations' }).click()
    await page.getByRole('button', { name: 'Create an automation' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Thanks')
    await choose(page, 'It begins when somebody joins', 'Weekly news')
    await act(page, 'Create it')
    await page.getByRole('button', { name: 'Insert at the start' }).click()
    await page.getByRole('menuitem', { name: 'Add a tag' }).click()
    await choose(page, 'Tag', 'vip')
    await page.getByRole('button', { name: 'Save the version' }).click()
    await page.getByRole('heading', { level: 1, name: 'Thanks' }).waitFor()
    await page.locator('.step').filter({ hasText: 'Add the tag vip' }).waitFor()

    await page.getByRole('button', { name: 'Archive' }).click()
    await page.getByText('It cannot be published while it is archived').waitFor()
    await act(page, 'Archive it')
    const status = page.locator('main').getByText('Archived', { exact: true })
    await status.waitFor()
    expect(await page.getByRole('link', { name: 'Edit' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Restore' }).click()
    await act(page, 'Restore it')
    await status.waitFor({ state: 'detached' })
    await page.locator('main').getByText('Draft', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Edit' }).waitFor()
  })

  inBrowser('draw no step and no label over another one below a decision', async () => {
    const page = await stage.signedIn('editor', { at: '/w/acme/newsletter/automations' })
    await page.getByRole('button', { name: 'Create an automation' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Choices')
    await choose(page, 'It begins when somebody joins', 'Weekly news')
    await act(page, 'Create it')
    const step = page.getByRole('region', { name: 'This step' })
    const insert = async (button: Locator, type: string) => {
      await button.click()
      await page.getByRole('menuitem', { name: type, exact: true }).click()
    }
    const steps = page.locator('.graph .step')
    await insert(page.getByRole('button', { name: 'Insert at the start' }), 'Decide')
    const branches = [
      { branch: 'Branch default', type: 'Add a tag' },
      { branch: 'Branch branch', type: 'Wait for some time' },
      { branch: 'Branch branch-2', type: 'Remove a tag' },
      { branch: 'Branch branch-3', type: 'Change the score' },
    ]
    for (const [index, { branch, type }] of branches.entries()) {
      if (index > 0) {
        await choose(page, 'Step', /\(decision\)/)
        await step.getByRole('button', { name: 'Add a branch' }).click()
        await step.getByRole('group', { name: branch }).getByRole('combobox', { name: 'Which' }).click()
        await page.getByRole('option', { name: 'london' }).click()
      }
      await insert(
        step.getByRole('group', { name: branch, exact: true }).getByRole('button', { name: 'Insert a step here' }),
        type,
      )
      await until(async () => (await steps.count()) === index + 3)
      if (index === 0) continue
      for (const width of [375, 1280])
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.setViewportSize({ width, height: 800 })
          await page.emulateMedia({ colorScheme })
          await page.getByRole('button', { name: 'Fit View' }).click()
          const found = page.locator('.graph .step, .graph .way')
          expect(await found.count()).toBe(2 * index + 4)
          const boxes = await Promise.all((await found.all()).map(async (one) => (await one.boundingBox())!))
          const covered = boxes.flatMap((one, at) =>
            boxes
              .slice(at + 1)
              .filter(
                (other) =>
                  one.x < other.x + other.width &&
                  other.x < one.x + one.width &&
                  one.y < other.y + other.height &&
                  other.y < one.y + one.height,
              ),
          )
          expect([width, colorScheme, covered]).toEqual([width, colorScheme, []])
        }
    }
  })

  inBrowser('ask before a changed graph is left, also by the button of the browser', async () => {
    const page = await stage.signedIn('editor')
    const questions: string[] = []
    let answer = false
    page.on('dialog', (dialog) => {
      questions.push(dialog.type())
      void (answer ? dialog.accept() : dialog.dismiss())
    })
    await page.goto(`${stage.services.baseUrl}/console/w/acme/newsletter/automations/${automationId}`)
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.locator('.step').filter({ hasText: 'Wait 3 days' }).click()
    await page.getByLabel('How long').fill('4')
    await page.getByRole('link', { name: 'Templates' }).click()
    await until(async () => questions.length === 1)
    await page.locator('.step').filter({ hasText: 'Wait 4 days' }).waitFor()
    await page.evaluate('history.back()')
    await until(async () => questions.length === 2)
    await page.locator('.step').filter({ hasText: 'Wait 4 days' }).waitFor()
    answer = true
    await page.getByRole('link', { name: 'Templates' }).click()
    await page.getByRole('heading', { level: 1, name: 'Templates' }).waitFor()
    expect(questions).toEqual(['confirm', 'confirm', 'confirm'])
  })

  inBrowser('show what happened to one person, and pause, resume and cancel it', async () => {
    const enrollmentId = await until(async () => {
      const { enrollments } = await world.owner.ok<{ enrollments: { id: string }[] }>(
        'GET',
        `${workspace}/automations/${automationId}/enrollments`,
      )
      return enrollments[0]?.id
    })
    const page = await stage.signedIn('owner', { at: `/w/acme/newsletter/automations/${automationId}` })
    await page
      .getByRole('region', { name: 'People in it' })
      .getByRole('link', { name: /@people\.example\.com$/ })
      .first()
      .click()
    await page.waitForURL(`**/enrollments/${enrollmentId}`)
    const history = page.getByRole('region', { name: 'What happened' })
    await history.getByText('Wait for some time: pause').waitFor()
    await history.getByRole('link', { name: /@people\.example\.com$/ }).waitFor()
    await page.getByRole('main').getByRole('link', { name: 'Welcome', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByLabel('Reason').fill('asked for it')
    await act(page, 'Pause it')
    await history.getByText(/asked for it/).waitFor()
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByLabel('Reason').fill('typed before a colleague resumed it')
    await world.owner.ok('POST', `${workspace}/automation-enrollments/${enrollmentId}/resume`, {})
    await page.locator('button', { hasText: /^Resume$/ }).waitFor({ state: 'detached' })
    expect(await page.getByLabel('Reason').inputValue()).toBe('typed before a colleague resumed it')
    await page.getByRole('button', { name: 'Leave it as it is' }).click()

    await page.route('**/newsletter/contacts/*', (route) => route.fulfill({ status: 500 }))
    await page.reload()
    await history.getByRole('button', { name: 'Try again' }).waitFor()
    await history.getByRole('link', { name: 'See the contact' }).waitFor()
    await page.unroute('**/newsletter/contacts/*')
    await history.getByRole('button', { name: 'Try again' }).click()
    await history.getByRole('link', { name: /@people\.example\.com$/ }).waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await act(page, 'Cancel the enrollment')
    await history.getByText('Cancelled').waitFor()
  })

  inBrowser('do not say that nobody is at a step before the counts are read', async () => {
    const page = await stage.signedIn('owner')
    await page.route('**/counts', (route) => route.fulfill({ status: 500 }))
    const steps = page.getByRole('region', { name: 'Steps' })
    for (const view of ['list', 'graph']) {
      await page.goto(`${stage.services.baseUrl}/console/w/acme/newsletter/automations/${automationId}?view=${view}`)
      await steps.getByRole('button', { name: 'Try again' }).waitFor()
      await steps.getByText('…').last().waitFor()
      expect(await steps.getByText('nobody yet').count()).toBe(0)
    }
    // It is also read by itself, and then the button is gone.
    await page.unroute('**/counts')
    await steps.getByRole('button', { name: 'Try again' }).waitFor({ state: 'detached' })
  })

  inBrowser('rehearse half a year of a version with a virtual clock and a contact who does not exist', async () => {
    const rehearsedId = await addRehearsedAutomation(world)
    const page = await stage.signedIn('owner', { at: `/w/acme/newsletter/automations/${automationId}` })
    await page.getByRole('link', { name: 'acme/synthetic-lab' }).click()
    await page.getByRole('link', { name: 'Half a year' }).click()
    await page.waitForURL(`**/synthetic-lab/automations/${rehearsedId}`)
    await page.getByRole('button', { name: 'Run with a virtual clock' }).click()
    await choose(page, 'Tags of the contact', 'vip')
    await page.keyboard.press('Escape')
    await page.getByLabel('The clock begins at').fill('2027-01-01T09:00')
    await act(page, 'Run it')
    await page.getByText('on which 180 days passed').waitFor()
    const history = page.getByRole('region', { name: 'What happened' })
    await history.getByText('Wait for some time: half-a-year').waitFor()
    await history.getByText(/branch keen/).waitFor()
    await history.getByText('Change the score: thank').waitFor()
    expect(await history.locator('.mantine-Timeline-itemTitle').allInnerTexts()).toEqual([
      'Enrolled',
      'Wait for some time: half-a-year',
      'Decide: is-keen',
      'Change the score: thank',
      'End: end',
      'Completed',
    ])
    expect(await page.getByRole('button', { name: /^(Pause|Cancel)/ }).count()).toBe(0)

    // A step that failed is offered again, if its clock is not a virtual one.
    const query = (text: string) => stage.services.stage.query(text, [new URL(page.url()).pathname.split('/').at(-1)!])
    await query(`update automations.enrollments set end_state = 'failed' where id = $1`)
    const archive = (isArchived: boolean) =>
      stage.services.stage.query(`update identity.workspaces set is_archived = $1 where slug = 'synthetic-lab'`, [
        isArchived,
      ])
    const acts = page.getByRole('button', { name: /^(Replay|Cancel)$/ })
    await archive(false)
    await page.reload()
    await acts.first().waitFor()
    expect(await acts.allInnerTexts()).toEqual(['Cancel'])
    await query(`update automations.enrollments set has_virtual_clock = false where id = $1`)
    await page.reload()
    await page.getByRole('button', { name: 'Replay' }).waitFor()
    await archive(true)
  })

  inBrowser('mark a step with a warning, in the graph and in the list', async () => {
    await addVersions(world, automationId)
    const page = await stage.signedIn('analyst', { at: `/w/acme/newsletter/automations/${automationId}` })
    const warning = 'No path leads to the node "spare", so nobody arrives at it.'
    const spare = page.getByRole('group', { name: `End: ⚠ ${warning}` })
    await spare.getByText('⚠ 1 warning').waitFor()
    expect(await page.locator('.step:not([data-faulty="false"])').count()).toBe(1)
    await page.getByText('List', { exact: true }).click()
    await page
      .getByRole('row', { name: /^spare/ })
      .getByText(warning)
      .waitFor()
  })

  inBrowser('give a warning the color of warnings, with contrast, in both color schemes', async () => {
    for (const colorScheme of ['light', 'dark'] as const)
      for (const view of ['graph', 'list']) {
        const page = await stage.signedIn('analyst', {
          at: `/w/acme/newsletter/automations/${automationId}?view=${view}`,
          colorScheme,
        })
        const mark = page.locator('.step, .row').getByText(/^⚠ /)
        await mark.waitFor()
        const [warning, error] = ['orange', 'red'].map((color) =>
          page.evaluate<string>(
            `(() => {
              const probe = document.body.appendChild(document.createElement('i'))
              probe.style.color = 'var(--mantine-color-${color}-text)'
              const { color } = getComputedStyle(probe)
              probe.remove()
              return color
            })()`,
          ),
        )
        const drawn = await page.evaluate<string>(
          `getComputedStyle([...document.querySelectorAll('.step span, .row *')].find((one) => one.textContent.startsWith('⚠'))).color`,
        )
        expect([view, drawn]).toEqual([view, await warning])
        expect(drawn).not.toBe(await error)
        await page.evaluate(axe.source)
        const violations = `axe.run('main', { runOnly: ['color-contrast'] }).then((found) => found.violations.map(({ id }) => id))`
        expect(await page.evaluate(violations)).toEqual([])
      }
  })

  inBrowser(
    'show what is known to be wrong with a version when its editor opens, until its step is edited',
    async () => {
      const page = await stage.signedIn('editor', { at: `/w/acme/newsletter/automations/${automationId}/edit` })
      const warning = 'No path leads to the node "spare", so nobody arrives at it.'
      const marked = page.getByRole('group', { name: `End: ⚠ ${warning}` })
      const step = page.getByRole('region', { name: 'This step' })
      await marked.waitFor()
      const known = page.getByRole('alert', { name: 'Warnings' })
      await known.first().getByText(warning).waitFor()
      expect(await step.getByText(warning).count()).toBe(0)
      await choose(page, 'Step', /spare/)
      await step.getByText(warning).waitFor()
      await choose(page, 'Step', /\(pause\)/)
      await step.getByLabel('How long').fill('5')
      const ofSaved = page.getByRole('alert', { name: 'Warnings about the saved version' })
      await ofSaved.getByText(warning).waitFor()
      await marked.waitFor()
      await choose(page, 'Step', /is-keen/)
      await step.getByRole('group', { name: 'Branch from london' }).getByRole('combobox', { name: 'Leads to' }).click()
      await page.getByRole('option', { name: /spare/ }).click()
      await ofSaved.waitFor({ state: 'detached' })
      await marked.waitFor({ state: 'detached' })

      const other = await stage.signedIn('editor', { at: `/w/acme/newsletter/automations/${automationId}/edit` })
      await other.getByRole('group', { name: `End: ⚠ ${warning}` }).waitFor()
      await choose(other, 'Step', /spare/)
      await other.getByRole('button', { name: 'Remove the step' }).click()
      await other.getByRole('heading', { name: 'This step' }).and(other.locator(':focus')).waitFor()
      await other.getByRole('alert', { name: 'Warnings about the saved version' }).waitFor({ state: 'detached' })
      await other.getByRole('group', { name: `End: ⚠ ${warning}` }).waitFor({ state: 'detached' })

      await choose(other, 'Step', /is-keen/)
      const branch = other.getByRole('group', { name: 'Branch from london' })
      await branch.getByRole('button', { name: 'Remove the branch' }).press('Enter')
      await other.getByRole('heading', { name: 'This step' }).and(other.locator(':focus')).waitFor()
      for (let left = await other.locator('.step').count(); left > 2; left -= 1) {
        await other.getByRole('button', { name: 'Remove the step' }).press('Enter')
        await other
          .locator('.step')
          .nth(left - 1)
          .waitFor({ state: 'detached' })
        // A longer graph is not made so small that nobody can read it.
        if (left <= 4) await stepsAreInFrame(other)
      }
    },
  )

  inBrowser('list warnings apart from what prevents a version from being published', async () => {
    const page = await stage.signedIn('editor')
    await page.route(`**/automations/${automationId}`, async (route) => {
      if (route.request().resourceType() === 'document') return route.continue()
      const response = await route.fetch()
      const answer = (await response.json()) as {
        automation: { selected_version: { validation: { structural_errors: string[] } } }
      }
      answer.automation.selected_version.validation.structural_errors = ['definition.nodes[0].config is required.']
      return route.fulfill({ response, json: answer })
    })
    await page.goto(`${stage.services.baseUrl}/console/w/acme/newsletter/automations/${automationId}/edit`)
    const errors = page.getByRole('alert', { name: 'It cannot be published' })
    await errors.getByText('config is required').waitFor()
    expect(await errors.getByRole('listitem').count()).toBe(1)
    await page.getByRole('alert', { name: 'Warnings' }).getByText('No path leads to the node').waitFor()
  })

  inBrowser('keep the marks of a refused save until their steps are edited', async () => {
    const page = await stage.signedIn('editor', { at: `/w/acme/newsletter/automations/${automationId}/edit` })
    const step = page.getByRole('region', { name: 'This step' })
    await page.locator('.step').first().waitFor()
    await page.getByRole('button', { name: 'Insert at the start' }).click()
    await page.getByRole('menuitem', { name: 'Remove a tag' }).click()
    await page.getByRole('button', { name: 'Save the version' }).click()
    const faulty = page.locator('.step[data-faulty="problem"]')
    await faulty.getByText('1 problem').waitFor()

    await choose(page, 'Step', /\(pause\)/)
    await step.getByLabel('How long').fill('6')
    const left = page.getByRole('alert', { name: 'The version was not saved' })
    await left.getByText('tag is required').waitFor()
    await faulty.getByText('1 problem').waitFor()

    await choose(page, 'Step', /remove-tag/)
    await step.getByText('tag is required').waitFor()
    await choose(page, 'Tag', 'london')
    await faulty.waitFor({ state: 'detached' })
    await left.waitFor({ state: 'detached' })
  })

  inBrowser('make no exception and break no rule of the content security policy', async () => {
    expect(stage.problems).toEqual([])
  })
})
