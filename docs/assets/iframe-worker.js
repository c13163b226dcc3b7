// Search where the site is opened as a file: browsers start no workers there, so a hidden frame stands in for one.
if (location.protocol === "file:") {
  window.IFrameWorker = window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      this.frame = document.createElement("iframe")
      this.frame.hidden = true
      this.ready = new Promise((resolve) => {
        this.frame.addEventListener("load", () => {
          const { contentWindow: self, contentDocument: page } = this.frame
          self.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }))
          const script = page.createElement("script")
          script.onload = () => resolve(self)
          script.src = url
          page.head.append(script)
        }, { once: true })
      })
      this.frame.srcdoc = "<!doctype html><title>search</title>"
      document.body.append(this.frame)
    }
    postMessage(data) {
      this.ready.then((self) => self.dispatchEvent(new self.MessageEvent("message", { data })))
    }
    terminate() {
      this.frame.remove()
    }
  }
}
