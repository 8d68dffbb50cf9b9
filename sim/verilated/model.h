// A Verilated model with its clock, its reset and, in a program made for it, its waves or its coverage.
#pragma once

#include <memory>

#include "Vtop.h"
#ifdef X2CBBR_COVERAGE
#include "verilated_cov.h"
#else
#include "verilated_save.h"
#endif
#ifdef X2CBBR_TRACE
#include "verilated_vcd_c.h"
#endif

#include "driver.h"

namespace driver {

class Model {
  public:
    // With the name of a file the waves go there.
    explicit Model(const std::string &vcd = "") : top_(std::make_unique<Vtop>(&context_)) {
#ifdef X2CBBR_TRACE
        if (!vcd.empty()) {
            context_.traceEverOn(true);
            trace_ = std::make_unique<VerilatedVcdC>();
            top_->trace(trace_.get(), 99);
            trace_->open(vcd.c_str());
        }
#else
        (void)vcd;
#endif
    }
    // In a program with mutants, the one that is alive from the next clock on.
    void choose(unsigned mutant) {
#ifdef X2CBBR_MUTANTS
        top_->mutant = mutant;
#else
        (void)mutant;
#endif
    }
    // A watching run's mutants that have been reached, as a line of numbers in a file.
    void write_reached(const std::string &path) {
#ifdef X2CBBR_MUTANTS
        settle();
        std::ofstream file(path);
        for (unsigned number = 1; number <= X2CBBR_MUTANTS; number++)
            if (get(top_->reached, Field{number, 1}))
                file << number << ' ';
        file << std::endl;
#else
        (void)path;
#endif
    }
    Vtop *operator->() { return top_.get(); }
    uint64_t clock() const { return clock_; }
    // The outputs for the inputs as they are now.
    void settle() { level(0); }
    // The end of the clock.
    void rise() {
        level(1);
        clock_++;
    }
    // The same, but for what is done to the model itself.
    void risen() { clock_++; }
    Vtop___024root *root() { return top_->rootp; }
    // What the model is now goes to a file, from which others become the same; none of them has waves. Verilator cannot save a model
    // with coverage.
#ifdef X2CBBR_COVERAGE
    void save(const std::string &) { fail("a program with coverage has no copies"); }
    void restore(const std::string &, uint64_t) { fail("a program with coverage has no copies"); }
#else
    void save(const std::string &path) {
        VerilatedSave file;
        file.open(path);
        if (!file.isOpen())
            fail("cannot write " + path);
        file << *top_;
    }
    void restore(const std::string &path, uint64_t clock) {
        settle(); // a model is complete after its first evaluation
        VerilatedRestore file;
        file.open(path);
        if (!file.isOpen())
            fail("cannot open " + path);
        file >> *top_;
        clock_ = clock;
    }
#endif
    // The model's reset is a register that follows rst, which is therefore 0 in the last of these clocks.
    void reset(int clocks = 4) {
        for (int k = 1; k <= clocks; k++) {
            top_->rst = k < clocks;
            settle();
            rise();
        }
    }
    // In a program with coverage, what was reached goes to the file coverage.dat of the working folder.
    void close() {
        top_->final();
#ifdef X2CBBR_COVERAGE
        context_.coveragep()->write("coverage.dat");
#endif
#ifdef X2CBBR_TRACE
        if (trace_)
            trace_->close();
#endif
    }

  private:
    void level(bool high) {
        top_->clk = high;
        top_->eval();
#ifdef X2CBBR_TRACE
        if (trace_)
            trace_->dump(2 * clock_ + high);
#endif
    }
    VerilatedContext context_;
    std::unique_ptr<Vtop> top_;
#ifdef X2CBBR_TRACE
    std::unique_ptr<VerilatedVcdC> trace_;
#endif
    uint64_t clock_ = 0;
};

} // namespace driver
