import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect } from '@jest/globals'
import { hasChromium, inBrowser } from './browser.ts'
import { act, openConsoleStage, type ConsoleStage } from './console-stage.ts'

let stage: ConsoleStage
let url: string
let status = 200
const receiver = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(status).end())
})
beforeAll(async () => {
  if (!hasChromium) return
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
  stage = await openConsoleStage()
})
afterAll(async () => {
  await stage?.close()
  receiver.closeAllConnections()
  receiver.close()
})

describe('the page of the campaign webhook', () => {
  inBrowser('set the URL, show each secret once, post tests, and remove it', async () => {
    const page = await stage.signedIn('owner')
    await page.getByRole('link', { name: 'Campaign webhook' }).click()
    await page.getByText('Nothing was posted yet').waitFor()
    await page.getByText('Set the URL of your program first').waitFor()
    await page.getByRole('button', { name: 'Set the URL' }).click()
    await page.getByRole('dialog').getByLabel('URL').fill(url)
    await act(page, 'Set it')
    const first = await page.getByText(/^whsec_/).textContent()
    await page.getByRole('button', { name: 'I have stored it' }).click()
    expect(await page.getByText(/whsec_/).count()).toBe(0)

    await page.getByRole('button', { name: 'Test', exact: true }).click()
    await act(page, 'Post it')
    const deliveries = page.getByRole('table', { name: 'Deliveries' })
    await deliveries.getByRole('row', { name: /Delivered 1 attempt; status 200/ }).waitFor()
    status = 500
    await page.getByRole('button', { name: 'Test', exact: true }).click()
    await act(page, 'Post it')
    await deliveries.getByRole('row', { name: /Failed 1 attempt; Status 500/ }).waitFor()

    await page.getByRole('button', { name: 'Turn on' }).click()
    await act(page, 'Turn them on')
    await page.getByText('Posted, beside the events of runs').waitFor()
    await page.getByRole('button', { name: 'Turn off' }).click()
    await act(page, 'Turn them off')
    await page.getByText('Not posted').waitFor()

    await page.getByRole('button', { name: 'New secret' }).click()
    await act(page, 'Make it')
    const second = await page.getByText(/^whsec_/).textContent()
    expect(second).not.toBe(first)
    await page.reload()
    await page.getByRole('button', { name: 'Remove' }).waitFor()
    expect(await page.getByText(/whsec_/).count()).toBe(0)
    await page.getByRole('button', { name: 'Remove' }).click()
    await act(page, 'Remove it')
    await page.getByText('not set').first().waitFor()
  })

  inBrowser('is for an analyst to read', async () => {
    const page = await stage.signedIn('analyst')
    await page.getByRole('link', { name: 'Campaign webhook' }).click()
    await page.getByRole('table', { name: 'Deliveries' }).getByText('Campaign webhook test').first().waitFor()
    expect(await page.getByRole('button', { name: 'Set the URL' }).count()).toBe(0)
  })

  inBrowser('make no exception and break no rule of the content security policy', async () => {
    expect(stage.problems).toEqual([])
  })
})
