import Testing

/// Keeps the articles and the tests of their code in step.
struct ArticleTests {
    @Test("each piece of Swift code in an article is the code of a test, and the other way round") func inStep() throws
    {
        let articles = try Article.all()
        let regions = try Article.regions()
        var known: [String: (place: String, code: [String])] = [:]
        for region in regions {
            #expect(known[region.id] == nil, "\(region.place): \(region.id) is there twice")
            known[region.id] = (region.place, region.code)
        }
        for article in articles {
            for line in article.unnamedBlocks {
                Issue.record("\(article.name):\(line): a block of code has no snippet id")
            }
            for snippet in article.snippets where !snippet.id.isEmpty {
                guard let (place, code) = known.removeValue(forKey: snippet.id) else {
                    Issue.record(
                        "\(article.name):\(snippet.line): no test has the code \(snippet.id), or two articles have it")
                    continue
                }
                guard code != snippet.code else { continue }
                let pairs = zip(code, snippet.code).enumerated()
                let first = pairs.first { $1.0 != $1.1 }?.offset ?? min(code.count, snippet.code.count)
                Issue.record(
                    "\(article.name):\(snippet.line + 1 + first) is not the same as \(place) in its line \(first + 1)")
            }
        }
        for (id, region) in known { Issue.record("\(region.place): no article has the code \(id)") }
        #expect(articles.flatMap(\.snippets).count >= 20, "the articles were not found")
    }

    @Test("code with its mark, code without one and other text are told apart") func parsing() {
        let article = Article(
            name: "a",
            text: [
                "<!-- snippet: x -->", "```swift", "f()  // prints: 1", "```", "```", "```swift", "```", "```swift",
                "g()", "```",
            ])
        #expect(article.snippets.map(\.code) == [["f()  // prints: 1"], ["g()"]])
        #expect(article.snippets[0].output == ["1"])
        #expect(article.unnamedBlocks == [8])
    }
}
