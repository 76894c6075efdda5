// clang as a library: from the command line that would run it to a module in memory.
//
// clang's own driver turns the command line into that of its compiler, so that flags mean what they mean to clang.
// What clang would do after that, with the module that we are after, is left out: without passes nothing, and at -O0
// it inlines what has to be, which the caller does for all modules. Command lines that ask for anything else are the caller's to run.

#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Basic/Stack.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Driver/Compilation.h>
#include <clang/Driver/Driver.h>
#include <clang/Driver/Tool.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <llvm-c/Core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Host.h>

#include <cstddef>
#include <memory>
#include <string>

using namespace clang;

namespace {

// What there is of a translation unit once it is read.
class ModuleAction : public ASTFrontendAction {
public:
    explicit ModuleAction(llvm::LLVMContext &context) : context(context) {}

    std::unique_ptr<llvm::Module> module;

private:
    std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &instance, llvm::StringRef file) override
    {
        auto created = CreateLLVMCodeGen(instance, file, context);
        generator = created.get();
        return created;
    }

    void EndSourceFileAction() override { module = generator->ReleaseModule(); }

    llvm::LLVMContext &context;
    CodeGenerator *generator = nullptr;
};

// Whether a module as it is generated is all that the command line asks for.
bool asks_for_a_module(const CompilerInvocation &invocation)
{
    const FrontendOptions &frontend = invocation.getFrontendOpts();
    const CodeGenOptions &code = invocation.getCodeGenOpts();
    return frontend.ProgramAction == frontend::EmitBC && frontend.Inputs.size() == 1 && frontend.LLVMArgs.empty()
        && frontend.Plugins.empty() && frontend.AddPluginActions.empty() && frontend.ASTMergeFiles.empty()
        && !frontend.ShowHelp && !frontend.ShowVersion && (code.OptimizationLevel == 0 || code.DisableLLVMPasses)
        && code.PassPlugins.empty()
        && code.LinkBitcodeFiles.empty() && code.CoverageNotesFile.empty() && code.CoverageDataFile.empty()
        && invocation.getLangOpts().Sanitize.empty();
}

// Whether clang's driver would print something about itself.
bool asks_the_driver(llvm::ArrayRef<const char *> command_line)
{
    static const llvm::StringRef questions[] = {"-v", "-###", "--version", "--help", "-help", "--help-hidden"};
    return llvm::any_of(command_line, [](llvm::StringRef word) { return llvm::is_contained(questions, word); });
}

// The command of clang's compiler that a command line comes to, if it is one, and clang's own headers are there.
const driver::Command *the_command(const driver::Driver &driver, const driver::Compilation *compilation)
{
    llvm::SmallString<128> header(driver.ResourceDir);
    llvm::sys::path::append(header, "include", "stddef.h");
    if (!compilation || !llvm::sys::fs::exists(header) || compilation->getJobs().size() != 1)
        return nullptr;
    const driver::Command &command = *compilation->getJobs().begin();
    bool is_compiler = llvm::StringRef(command.getCreator().getName()) == "clang";
    const auto &arguments = command.getArguments();
    return is_compiler && !arguments.empty() && llvm::StringRef(arguments[0]) == "-cc1" ? &command : nullptr;
}

} // namespace

enum Outcome { COMPILED = 0, REFUSED = 1, NOT_THIS_WAY = 2 };

// Compiles what `clang arguments...` would compile. Sets `module` if it is COMPILED, `messages`, what clang would
// print, if it is REFUSED; both belong to the caller then.
extern "C" int selvedge_clang(LLVMContextRef context, const char *const *arguments, std::size_t count,
                              LLVMModuleRef *module, char **messages)
{
    noteBottomOfStack();
    std::string text;
    llvm::raw_string_ostream stream(text);
    llvm::SmallVector<const char *, 64> command_line(arguments, arguments + count);
    if (asks_the_driver(command_line))
        return NOT_THIS_WAY;
    auto refuse = [&] {
        *messages = LLVMCreateMessage(stream.str().c_str());
        return REFUSED;
    };

    std::unique_ptr<DiagnosticOptions> options = CreateAndPopulateDiagOpts(command_line);
    TextDiagnosticPrinter printer(stream, *options);
    printer.setPrefix("clang");
    DiagnosticsEngine diagnostics(DiagnosticIDs::create(), *options, &printer, /*ShouldOwnClient=*/false);
    auto files = llvm::vfs::getRealFileSystem();
    ProcessWarningOptions(diagnostics, *options, *files, /*ReportDiags=*/false);

    driver::Driver driver(command_line[0], llvm::sys::getDefaultTargetTriple(), diagnostics);
    std::unique_ptr<driver::Compilation> compilation(driver.BuildCompilation(command_line));
    if (diagnostics.hasErrorOccurred())
        return refuse();
    const driver::Command *command = the_command(driver, compilation.get());
    if (!command)
        return NOT_THIS_WAY;
    auto invocation = std::make_shared<CompilerInvocation>();
    if (!CompilerInvocation::CreateFromArgs(*invocation, command->getArguments(), diagnostics))
        return refuse();
    if (!asks_for_a_module(*invocation))
        return NOT_THIS_WAY;

    CompilerInstance instance(invocation);
    instance.setVerboseOutputStream(stream);
    instance.createVirtualFileSystem(files);
    instance.createDiagnostics(new TextDiagnosticPrinter(stream, instance.getDiagnosticOpts()));
    llvm::LLVMContext &target = *llvm::unwrap(context);
    ModuleAction action(target);
    bool discards_names = target.shouldDiscardValueNames();
    bool compiled = instance.ExecuteAction(action) && action.module;
    // clang drops the names of values, and a context that does so reads no textual form.
    target.setDiscardValueNames(discards_names);
    if (!compiled)
        return refuse();
    *module = llvm::wrap(action.module.release());
    return COMPILED;
}
